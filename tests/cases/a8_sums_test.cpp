// SPDX-License-Identifier: Apache-2.0
// Sums that are easily taken for spans: streams that overlap, queue time, API time beside the critical path.
#include <gmock/gmock.h>

#include <vector>

#include "analyzer/timeline/intervals.hpp"
#include "tests/cases/launch_loop.hpp"
#include "tests/cases/trace_text.hpp"

namespace foretell::cases {
namespace {

using profile::ApiKind;
using testing::HasSubstr;
using timeline::StepKind;

TEST(Sums, A41BusyIsAUnionAndNeverAboveTheSpan) {
  TraceText trace;
  for (int i = 0; i < 100; ++i) {
    trace.kernel({.ts = us(i * 10'000), .dur = "10", .stream = 7});
  }
  trace.kernel({.ts = "500", .dur = "600", .stream = 20, .name = "ncclDevKernel_AllReduce"});

  const Analysis analysis = analyze(trace.object());

  EXPECT_EQ(analysis.facts().span_ns, 1'100'000);
  EXPECT_EQ(analysis.facts().kernel_sum_ns, 1'600'000);
  EXPECT_EQ(analysis.facts().kernel_busy_ns, 1'100'000);
  EXPECT_EQ(analysis.facts().device_busy_ns, 1'100'000);
  EXPECT_THAT(analysis.report(), HasSubstr("sum over streams 1.60 ms, busy 1.10 ms"));
  EXPECT_THAT(analysis.report(), HasSubstr("100.0 % of the span"));
}

TEST(Sums, A42LookalikeRangesAreNoSteps) {
  TraceText trace;
  for (int step = 0; step < 5; ++step) {
    trace.annotation({.ts = us(step * 10'000'000), .dur = "10000", .name = fmt::format("step_{}", step)});
    for (int i = 0; i < 60; ++i) {
      trace.annotation({.ts = us(step * 10'000'000 + 1'000'000 + i * 100'000),
                        .dur = "2.5",
                        .name = fmt::format("step_{}/aten::mul", step)});
    }
  }

  const Analysis analysis = analyze(trace.object());

  EXPECT_EQ(analysis.timeline.steps.kind, StepKind::UserRange);
  ASSERT_EQ(analysis.timeline.steps.all.size(), 5U);
  EXPECT_EQ(analysis.timeline.steps.steady, 5U);  // none is an outlier
  EXPECT_EQ(analysis.timeline.steps.step_ns, 10'000'000);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(analysis.timeline.steps.all[i].name, fmt::format("step_{}", i));
  }
}

TEST(Sums, A43QueueTimeIsSlackAndTheDeviceIsFull) {
  TraceText trace;
  for (int i = 0; i < 1000; ++i) {
    trace.call({.ts = us(i * 5'000), .dur = "4", .correlation = i + 1});
    trace.kernel({.ts = us(4'000 + i * 200'000), .dur = "200", .correlation = i + 1});
  }

  const Analysis analysis = analyze(trace.object());

  EXPECT_EQ(analysis.facts().launch_calls, 1'000U);
  EXPECT_EQ(analysis.facts().kernel_busy_ns, 200'000'000);
  EXPECT_EQ(analysis.facts().span_ns, 200'004'000);                 // busy 100 % from the first kernel on
  EXPECT_EQ(analysis.timeline.launches.delay_mean_ns, 97'402'500);  // 195 us x 999 / 2
  EXPECT_EQ(analysis.timeline.launches.call_sum_ns, 4'000'000);     // the dispatch cost is another thing
  EXPECT_THAT(analysis.report(), HasSubstr("mean 97.4 ms (slack, not loss)"));
  EXPECT_EQ(analysis.timeline.launches.queue_max, 975);  // all but the 25 that started within the 5 ms
}

TEST(Sums, A44IdleIsSpanLessUnion) {
  TraceText trace;
  // compute 16,280 us; collectives 4,435 us, 3,415 of them hidden behind compute; 700 us of nothing
  trace.kernel({.ts = "0", .dur = "10000", .stream = 7, .name = "gemm"})
      .kernel({.ts = "1000", .dur = "3415", .stream = 20, .name = "ncclDevKernel_AllGather"})
      .kernel({.ts = "10700", .dur = "6280", .stream = 7, .name = "gemm"})
      .kernel({.ts = "16980", .dur = "1020", .stream = 20, .name = "ncclDevKernel_ReduceScatter"});

  const Analysis analysis = analyze(trace.object());

  EXPECT_EQ(analysis.facts().span_ns, 18'000'000);
  EXPECT_EQ(analysis.facts().kernel_sum_ns, 16'280'000 + 4'435'000);
  EXPECT_EQ(analysis.facts().kernel_busy_ns, 17'300'000);
  EXPECT_EQ(analysis.facts().span_ns - analysis.facts().kernel_busy_ns, 700'000);  // idle
  std::vector<timeline::Interval> compute;
  const profile::DeviceActivities& rows = analysis.profile.activities;
  for (std::uint32_t row = 0; row < rows.size(); ++row) {
    if (analysis.profile.text(rows.name[row]) == "gemm") {
      compute.push_back({rows.start_ns[row], rows.start_ns[row] + rows.duration_ns[row]});
    }
  }
  const std::int64_t compute_ns = timeline::union_ns(compute);
  EXPECT_EQ(compute_ns, 16'280'000);
  EXPECT_EQ(analysis.facts().kernel_busy_ns - compute_ns, 1'020'000);  // collective alone
}

TEST(Sums, A45ApiTotalsAreASumBesideTheStep) {
  const TraceText trace = api_time_beside_the_step();

  const Analysis analysis = analyze(trace.object());

  EXPECT_EQ(analysis.facts().launch_calls, 1'490U);
  EXPECT_EQ(analysis.timeline.launches.call_sum_ns, 29'800'000);
  const profile::ApiCalls& calls = analysis.profile.api_calls;
  std::int64_t api_ns = 0;
  std::uint64_t syncs = 0;
  for (std::size_t row = 0; row < calls.size(); ++row) {
    api_ns += calls.duration_ns[row];
    syncs += calls.kind[row] == ApiKind::Synchronize ? 1 : 0;
  }
  EXPECT_EQ(syncs, 240U);
  EXPECT_EQ(api_ns, 53'800'000);
  EXPECT_EQ(analysis.facts().device_busy_ns, 60'000'000);
  EXPECT_EQ(analysis.facts().span_ns, 196'000'000);
  EXPECT_EQ(analysis.timeline.steps.kind, StepKind::ProfilerStep);
  EXPECT_EQ(analysis.timeline.steps.step_ns, 196'000'000);
  EXPECT_EQ(analysis.timeline.steps.busy_ns, 60'000'000);
  EXPECT_EQ(analysis.op_time("cpu_tier").self_cpu_ns, 190'000'000);  // on its own thread, beside the calls
}

}  // namespace
}  // namespace foretell::cases
