// SPDX-License-Identifier: Apache-2.0
// Time stamps and durations that are missing, too long for a double, skewed or corrupt.
#include <gmock/gmock.h>

#include <limits>
#include <set>

#include "tests/cases/trace_text.hpp"

namespace foretell::cases {
namespace {

using profile::Stat;
using timeline::Verdict;

TEST(Time, A10KernelsAtTimeZeroStayOffTheAxis) {
  TraceText trace;
  constexpr std::int64_t kBegin = 1'000'000'000'000'000'000;  // 1e15 us
  for (int i = 0; i < 900; ++i) {
    trace.kernel({.ts = us(kBegin + i * 10'000), .dur = "10"});
  }
  for (int i = 0; i < 100; ++i) {
    trace.kernel({.ts = "0", .dur = "0", .correlation = 106'123});
  }

  const Analysis analysis = analyze(trace.object());

  EXPECT_EQ(analysis.facts().kernels, 1'000U);
  EXPECT_EQ(analysis.facts().span_ns, 9'000'000);
  EXPECT_EQ(analysis.facts().kernel_busy_ns, 9'000'000);
  EXPECT_EQ(analysis.facts().device_busy_ns, 9'000'000);
  EXPECT_EQ(analysis.count(Stat::UntimedActivities), 100U);
  EXPECT_EQ(analysis.count(Stat::UntimedActivities) * 10, analysis.facts().kernels);  // 10 %
  EXPECT_EQ(analysis.verdict(), Verdict::Partial);
  EXPECT_TRUE(analysis.says("100 of 1,000 kernels"));
  EXPECT_TRUE(analysis.says("no timing"));
  EXPECT_TRUE(analysis.says("lower bounds"));
}

TEST(Time, A11TimesAsTextAreExactAndWideFlowIdsDistinct) {
  TraceText trace;
  trace.kernel({.ts = R"("1747123456789012.345")", .dur = R"("0.655")", .name = "first"})
      .kernel({.ts = R"("1747123456789013.000")", .dur = R"("0.500")", .name = "next"})
      .add(
          R"({"ph": "s", "id": 9007199254740993, "pid": 42, "tid": 1, "ts": 1, "cat": "ac2g", "name": "ac2g"})")
      .add(
          R"({"ph": "s", "id": 9007199254740992, "pid": 42, "tid": 1, "ts": 1, "cat": "ac2g", "name": "ac2g"})");

  const Analysis analysis = analyze(trace.object());

  const profile::DeviceActivities& kernels = analysis.profile.activities;
  ASSERT_EQ(kernels.size(), 2U);
  EXPECT_EQ(kernels.start_ns[0], 1'747'123'456'789'012'345);
  EXPECT_EQ(kernels.duration_ns[0], 655);
  EXPECT_EQ(kernels.start_ns[1], 1'747'123'456'789'013'000);
  EXPECT_EQ(kernels.start_ns[1] - (kernels.start_ns[0] + kernels.duration_ns[0]), 0);
  EXPECT_EQ(analysis.timeline.audit.overlapped_pairs, 0U);
  const Column<profile::RecordId>& flows = analysis.profile.flows.id;
  EXPECT_EQ(std::set(flows.begin(), flows.end()).size(), 2U);
  EXPECT_EQ(analysis.count(Stat::TextTimestamps), 2U);
  EXPECT_TRUE(analysis.says("times are given as text"));
}

TEST(Time, A12ShortKernelsAreNotRounded) {
  TraceText trace;
  for (int i = 0; i < 1000; ++i) {
    trace.kernel({.ts = us(100'700 + i * 3'000), .dur = "0.2"});
  }

  const Analysis analysis = analyze(trace.object());

  EXPECT_EQ(analysis.facts().kernels, 1'000U);
  EXPECT_EQ(analysis.facts().kernel_sum_ns, 200'000);
  EXPECT_EQ(analysis.facts().kernel_sum_ns / 1'000, 200);  // mean: 0.2 us
  EXPECT_EQ(analysis.facts().kernel_busy_ns, 200'000);
  const profile::DeviceActivities& kernels = analysis.profile.activities;
  std::int64_t min_gap = std::numeric_limits<std::int64_t>::max();
  for (std::size_t row = 1; row < kernels.size(); ++row) {
    min_gap =
        std::min(min_gap, kernels.start_ns[row] - kernels.start_ns[row - 1] - kernels.duration_ns[row - 1]);
  }
  EXPECT_EQ(min_gap, 2'800);
}

TEST(Time, A13KernelsBeforeTheirLaunchAreClockSkew) {
  TraceText trace;
  for (int i = 0; i < 64; ++i) {
    trace.call({.ts = us(1'000 + i * 1'000), .dur = "0.8", .correlation = i + 1, .name = "cuLaunchKernelEx"});
    trace.kernel(
        {.ts = us(600 + i * 1'000), .dur = "0.5", .correlation = i + 1, .name = "ncclDevKernel_AllToAll"});
  }

  const Analysis analysis = analyze(trace.object());

  const timeline::LaunchStats& launches = analysis.timeline.launches;
  EXPECT_EQ(analysis.timeline.links.linked_kernels, 64U);
  EXPECT_EQ(launches.linked, 64U);
  EXPECT_EQ(launches.skewed, 64U);
  EXPECT_EQ(launches.skew_max_ns, 400);
  EXPECT_EQ(launches.delay_mean_ns, 0);  // clamped, not -0.4 us
  EXPECT_EQ(launches.delay_median_ns, 0);
  EXPECT_EQ(launches.delay_max_ns, 0);
  EXPECT_GE(launches.queue_min, 0);
  EXPECT_TRUE(analysis.says("clock skew up to 400 ns"));
  EXPECT_TRUE(analysis.says("64 launches"));
  EXPECT_TRUE(analysis.says("unresolved"));
}

TEST(Time, A14DeviceClockOffsetIsFoundByASyncThatReturnsTooEarly) {
  TraceText trace;
  for (int i = 0; i < 50; ++i) {
    trace.call({.ts = us(i * 10'000), .dur = "4", .correlation = i + 1});
    trace.kernel({.ts = us(40'000'000 + i * 10'000 + 4'000), .dur = "5", .correlation = i + 1});
  }
  trace.call({.ts = "500", .dur = "100", .correlation = 51, .name = "cudaDeviceSynchronize"});

  const Analysis analysis = analyze(trace.object());

  ASSERT_TRUE(analysis.timeline.launches.clock_offset_ns.has_value());
  EXPECT_NEAR(static_cast<double>(*analysis.timeline.launches.clock_offset_ns), 40e6, 0.2e6);
  EXPECT_TRUE(analysis.says("clock offset about 40.0 ms"));
  EXPECT_TRUE(analysis.says("gaps between host and device rows are unreliable"));
  EXPECT_EQ(analysis.facts().kernel_busy_ns, 250'000);  // within the device row all is well
}

TEST(Time, A15DurationOverManySuccessorsIsClippedAndNamed) {
  TraceText trace;
  for (int i = 0; i < 1000; ++i) {
    const bool corrupt = i == 400;
    trace.kernel({.ts = us(i * 60'000'000LL),
                  .dur = corrupt ? "2000000" : "100",
                  .name = corrupt ? "attention_backward" : "gemm"});
  }

  const Analysis analysis = analyze(trace.object());

  const timeline::DurationAudit& audit = analysis.timeline.audit;
  EXPECT_EQ(analysis.facts().kernel_sum_ns, 2'099'900'000);
  EXPECT_EQ(audit.corrupt, 1U);
  EXPECT_EQ(audit.worst, analysis.activity_row("attention_backward"));
  EXPECT_EQ(audit.duration_ns[audit.worst], 60'000'000);  // to the next start
  EXPECT_EQ(audit.kernel_sum_ns, 159'900'000);
  EXPECT_EQ(audit.cut_ns, 1'940'000'000);
  EXPECT_TRUE(analysis.says("attention_backward"));
  EXPECT_TRUE(analysis.says("2.10 s"));
  EXPECT_TRUE(analysis.says("160 ms"));
}

TEST(Time, A15SmallCollisionsOnADenseStreamAreNoCorruption) {
  TraceText trace;
  for (int i = 0; i < 1000; ++i) {
    trace.kernel({.ts = us(i * 4'000 - (i % 20 == 10 ? 3'000 : 0)), .dur = "2"});
  }

  const Analysis analysis = analyze(trace.object());

  EXPECT_EQ(analysis.timeline.audit.corrupt, 0U);
  EXPECT_EQ(analysis.timeline.audit.overlapped_pairs, 50U);
  EXPECT_EQ(analysis.timeline.audit.overlap_ns, 50'000);
  EXPECT_EQ(analysis.timeline.audit.kernel_sum_ns, 2'000'000);
  EXPECT_FALSE(analysis.says("corrupt"));
}

}  // namespace
}  // namespace foretell::cases
