// SPDX-License-Identifier: Apache-2.0
// Measuring wrongly: timers without a synchronisation, the profiler's own time, blocking launches, means.
#include <gmock/gmock.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "tests/cases/launch_loop.hpp"

namespace foretell::cases {
namespace {

using checks::Verdict;
using testing::HasSubstr;

TEST(Measuring, B33TimerWithoutSynchronize) {
  struct Row {
    std::string_view op;
    std::int64_t reported_ns, device_ns;
    std::string_view message;
  };
  constexpr std::array kRows{
      Row{"matmul", 30'000, 1'360'000, "reported 30.0 us < device 1.36 ms: the timing lacks a synchronize"},
      Row{"linear", 30'000, 1'010'000, "reported 30.0 us < device 1.01 ms: the timing lacks a synchronize"},
      Row{"concat", 20'000, 1'290'000, "reported 20.0 us < device 1.29 ms: the timing lacks a synchronize"},
      Row{"sort", 50'000, 900'000, "reported 50.0 us < device 900 us: the timing lacks a synchronize"},
      Row{"argmax", 20'000, 40'000, "reported 20.0 us < device 40.0 us: the timing lacks a synchronize"},
  };
  for (const Row& row : kRows) {
    SCOPED_TRACE(row.op);
    TraceText trace;
    trace.annotation({.ts = "0", .dur = us(row.reported_ns), .name = std::string(row.op)})
        .call({.ts = "5", .dur = "4", .correlation = 1})
        .kernel({.ts = us(row.reported_ns), .dur = us(row.device_ns), .correlation = 1});
    const std::string text = trace.object(kH100);

    const Analysis told = analyze(text, Given{.wall_ns = row.reported_ns});
    EXPECT_EQ(told.verdict_on("timing"), Verdict::Binds);
    EXPECT_EQ(told.finding("timing").reason, row.message);

    // without being told: the range itself shows it
    const Analysis seen = analyze(text);
    EXPECT_EQ(seen.verdict_on("timing"), Verdict::Binds);
    EXPECT_THAT(seen.finding("timing").reason, HasSubstr(row.op));
    EXPECT_THAT(seen.finding("timing").reason, HasSubstr("lacks a synchronize"));
  }
}

TEST(Measuring, B33TimerThatWaitsIsRight) {
  TraceText trace;
  trace.annotation({.ts = "0", .dur = "1400", .name = "matmul"})
      .call({.ts = "5", .dur = "4", .correlation = 1})
      .kernel({.ts = "30", .dur = "1360", .correlation = 1})
      .call({.ts = "10", .dur = "1385", .correlation = 2, .name = "cudaDeviceSynchronize"});

  EXPECT_EQ(analyze(trace.object(kH100), Given{.wall_ns = 1'400'000}).verdict_on("timing"), Verdict::Clear);
}

// 3,000 ops of 10.2 us with stacks: 30.6 ms on the host. Their kernels take 17.447 ms.
std::string dispatch_bound_profile() {
  constexpr int kOps = 3'000;
  TraceText trace;
  LaunchLoop loop(trace, {.latency_ns = 4'000, .call_ns = 3'000});
  for (int step = 0; step < 5; ++step) {
    for (int op = 0; op < kOps; ++op) {
      trace.op({.ts = us(loop.now_ns()), .dur = "10.2"});
      loop.launch({.duration_ns = op % 3 == 0 ? 5'815 : 5'816}).pass(10'200);
    }
    loop.end_step();
  }
  return trace.object(fmt::format("{} \"with_stack\": 1,", kH100));
}

TEST(Measuring, B35BareTimeCorrectsWhatTheProfilerInflates) {
  const Analysis analysis = analyze(dispatch_bound_profile(), Given{.wall_ns = 17'840'000});

  EXPECT_EQ(analysis.timeline.steps.step_ns, 30'600'000);  // as traced
  EXPECT_EQ(analysis.timeline.split.step_ns, 17'840'000);  // scaled
  EXPECT_EQ(analysis.timeline.split.busy_ns, 17'447'000);
  EXPECT_NEAR(analysis.busy_share(), 0.98, 0.005);
  EXPECT_EQ(analysis.timeline.split.distortion_ns, 30'600'000 - 17'840'000);
  EXPECT_EQ(analysis.verdict_on("launch"), Verdict::Clear);
  EXPECT_LE(analysis.ceiling("launch"), 1.03);  // not 30.6 / 17.4 = 1.75
  EXPECT_EQ(analysis.verdict_on("profiler_distortion"), Verdict::Binds);
  EXPECT_NEAR(analysis.evidence("profiler_distortion", "distortion_ns"), 12.76e6, 1);
  EXPECT_EQ(analysis.binds(), "compute") << analysis.diagnosed();
}

TEST(Measuring, B35ProfiledCpuTimeAloneForecastsNothing) {
  const Analysis analysis = analyze(dispatch_bound_profile());

  EXPECT_EQ(analysis.verdict_on("launch"), Verdict::Unknown);
  EXPECT_THAT(analysis.finding("launch").reason, HasSubstr("--wall-ms"));
  EXPECT_EQ(analysis.verdict_on("profiler_distortion"), Verdict::Unknown);
  EXPECT_EQ(analysis.binds(), "unknown") << analysis.diagnosed();
}

TEST(Measuring, B36BlockingLaunches) {
  TraceText trace;
  for (int i = 0; i < 500; ++i) {
    trace.call({.ts = us(i * 40'000), .dur = "30", .correlation = i + 1})
        .kernel({.ts = us(i * 40'000 + 8'000), .dur = "20", .correlation = i + 1});
  }

  const Analysis analysis = analyze(trace.object(kH100));

  EXPECT_EQ(analysis.verdict_on("timing"), Verdict::Binds);
  EXPECT_EQ(analysis.evidence("timing", "blocking_launches"), 500);
  EXPECT_THAT(analysis.finding("timing").reason, HasSubstr("launches are synchronous"));
  EXPECT_THAT(analysis.finding("timing").reason, HasSubstr("CUDA_LAUNCH_BLOCKING"));
  EXPECT_THAT(analysis.finding("timing").reason, HasSubstr("not representative"));
  EXPECT_EQ(analysis.timeline.launches.queue_max, 1);
  for (const std::string_view id : {"launch", "fusion", "host_syncs", "host_work"}) {
    SCOPED_TRACE(id);
    EXPECT_EQ(analysis.verdict_on(id), Verdict::Unknown);
    EXPECT_FALSE(analysis.finding(id).ceiling.has_value());
  }
  EXPECT_EQ(analysis.binds(), "unknown");
  EXPECT_THAT(analysis.trace_report.sentences[0], HasSubstr("launches are synchronous"));
}

TEST(Measuring, B37MeanSpoiltByOneOutlier) {
  TraceText trace;
  LaunchLoop loop(trace, {.latency_ns = 0});
  for (const std::int64_t matmul_ns : {580'000, 582'000, 579'000, 581'000, 3'098'000}) {
    loop.launch({.duration_ns = matmul_ns}).pass(5'000).end_step();
  }

  const Analysis analysis = analyze(trace.object(kH100));

  EXPECT_EQ(analysis.timeline.steps.steady, 5U);
  EXPECT_EQ(analysis.timeline.steps.step_ns, 581'000);
  EXPECT_EQ(analysis.evidence("steady_state", "step_median_ns"), 581'000);
  EXPECT_EQ(analysis.evidence("steady_state", "step_mean_ns"), 1'084'000);
  EXPECT_EQ(analysis.evidence("steady_state", "step_shortest_ns"), 579'000);
  EXPECT_EQ(analysis.evidence("steady_state", "outlier_steps"), 1);
  EXPECT_EQ(analysis.verdict_on("steady_state"), Verdict::Binds);
  EXPECT_THAT(analysis.finding("steady_state").reason, HasSubstr("1 of 5 steps"));
  EXPECT_THAT(analysis.finding("steady_state").reason, HasSubstr("the mean misleads"));
  EXPECT_EQ(analysis.verdict_on("launch"), Verdict::Clear);
  EXPECT_EQ(analysis.binds(), "compute") << analysis.diagnosed();
}

TEST(Measuring, B37FirstCallIsKeptApart) {
  TraceText trace;
  LaunchLoop loop(trace, {.latency_ns = 0});
  for (const std::int64_t matmul_ns : {3'098'000, 580'000, 582'000, 579'000, 581'000}) {
    loop.launch({.duration_ns = matmul_ns}).pass(5'000).end_step();
  }

  const Analysis analysis = analyze(trace.object(kH100));

  EXPECT_EQ(analysis.evidence("steady_state", "warmup_steps"), 1);
  EXPECT_EQ(analysis.evidence("steady_state", "outlier_steps"), 0);
  EXPECT_EQ(analysis.verdict_on("steady_state"), Verdict::Clear);
  EXPECT_EQ(analysis.timeline.steps.step_ns, 580'500);
}

}  // namespace
}  // namespace foretell::cases
