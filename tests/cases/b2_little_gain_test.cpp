// SPDX-License-Identifier: Apache-2.0
// Graph mode tried, little or no gain: the device is full already, or what a replay needs eats what it saves.
#include <gmock/gmock.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tests/cases/launch_loop.hpp"

namespace foretell::cases {
namespace {

using checks::Verdict;
using testing::HasSubstr;
using timeline::KernelClass;

constexpr int kSteps = 5;

TEST(LittleGain, B05ResNetByBatch) {
  struct Row {
    std::int64_t kernel_ns, step_ns;
    double busy_share, ceiling;
  };
  // 299 x 10 us + 5 us from launch to start + one kernel; from 12 us on 5 us + 300 kernels
  constexpr std::array kRows{
      Row{1'000, 2'996'000, 0.10, 10},    Row{2'000, 2'997'000, 0.20, 5},
      Row{5'000, 3'000'000, 0.50, 2},     Row{8'000, 3'003'000, 0.80, 1.25},
      Row{12'000, 3'605'000, 1.00, 1.0},  Row{20'000, 6'005'000, 1.00, 1.0},
      Row{40'000, 12'005'000, 1.00, 1.0},
  };
  for (const Row& row : kRows) {
    for (const bool marked :
         {true, false}) {  // steps by the profiler's marks, and by the kernels that repeat
      SCOPED_TRACE(fmt::format("{} ns, {}", row.kernel_ns, marked ? "marked" : "unmarked"));
      TraceText trace;
      LaunchLoop loop(trace);
      const Work kernel{.duration_ns = row.kernel_ns, .name = "volta_scudnn_128x64_relu_small_nn_v1"};
      const Work last{.duration_ns = row.kernel_ns, .name = "volta_sgemm_128x64_nn"};
      for (int step = 0; step < kSteps; ++step) {
        loop.launch_many(299, kernel, 10'000).launch(last).pass(4'000).end_step(marked);
      }

      const Analysis analysis = analyze(trace.object(kV100));

      EXPECT_EQ(analysis.timeline.steps.kind,
                marked ? timeline::StepKind::ProfilerStep : timeline::StepKind::KernelSequence);
      EXPECT_EQ(analysis.timeline.split.step_ns, row.step_ns);
      // the sketch rounds to per cents and leaves out the 5 us before the first kernel: 0.2 % of the step
      EXPECT_NEAR(analysis.busy_share(), row.busy_share, 0.002);
      EXPECT_NEAR(analysis.ceiling("launch"), row.ceiling, 0.002 * row.ceiling);
      const bool binds = row.ceiling > 1.0;
      EXPECT_EQ(analysis.verdict_on("launch"), binds ? Verdict::Binds : Verdict::Clear);
      EXPECT_EQ(analysis.binds(), binds ? "launch" : "compute") << analysis.diagnosed();
    }
  }
}

TEST(LittleGain, B06VerdictFlipsBetweenBatch4And8) {
  constexpr int kKernels = 400;
  constexpr std::int64_t kDispatchNs = 20'000'000;
  constexpr std::array<std::int64_t, 8> kDeviceNs{4'000'000,  6'000'000,  12'000'000,  26'000'000,
                                                  42'000'000, 71'000'000, 123'000'000, 233'000'000};
  for (std::size_t batch = 0; batch < kDeviceNs.size(); ++batch) {
    SCOPED_TRACE(fmt::format("device sum {} ns", kDeviceNs[batch]));
    TraceText trace;
    LaunchLoop loop(trace);
    for (int step = 0; step < kSteps; ++step) {
      loop.launch_many(kKernels, {.duration_ns = kDeviceNs[batch] / kKernels}, kDispatchNs / kKernels);
      loop.end_step();
    }

    const Analysis analysis = analyze(trace.object(kH100));

    const bool floor = batch < 3;
    // elapsed is not busy; a device-bound step has the 5 us from launch to start on top
    EXPECT_EQ(analysis.evidence("launch", "device_busy_ns"), static_cast<double>(kDeviceNs[batch]));
    EXPECT_EQ(analysis.timeline.split.step_ns, floor ? kDispatchNs : kDeviceNs[batch] + 5'000);
    EXPECT_EQ(analysis.verdict_on("launch"), floor ? Verdict::Binds : Verdict::Clear);
    const double ceiling = floor ? 20e6 / static_cast<double>(kDeviceNs[batch]) : 1.0;
    EXPECT_NEAR(analysis.ceiling("launch"), ceiling, 0.001 * ceiling);  // the same 5 us
    EXPECT_EQ(analysis.binds(), floor ? "launch" : "compute") << analysis.diagnosed();
  }
}

TEST(LittleGain, B07CopyingLargeInputsCosts) {
  TraceText trace;
  LaunchLoop loop(trace, {.latency_ns = 0});
  for (int step = 0; step < kSteps; ++step) {
    loop.launch_many(40, {.duration_ns = 250'000}, 10'000).end_step();
  }
  const std::string text = trace.object(kH100);

  // 2 GB read and written at 1 TB/s: 4 ms on top of 10
  const Analysis analysis =
      analyze(text, Given{.input_bytes = 2e9, .constants = {constant("dram_achievable_gbps", 1'000)}});

  EXPECT_EQ(analysis.timeline.split.step_ns, 10'000'000);
  EXPECT_EQ(analysis.busy_share(), 1.0);
  EXPECT_EQ(analysis.evidence("launch", "input_copy_ns"), 4'000'000);
  EXPECT_GE(analysis.ceiling("launch"), 0.70);
  EXPECT_LE(analysis.ceiling("launch"), 0.75);
  EXPECT_EQ(analysis.verdict_on("launch"), Verdict::Clear);
  EXPECT_THAT(analysis.finding("launch").reason,
              HasSubstr("graph mode would add 4.00 ms for copying its inputs"));
  EXPECT_EQ(analysis.binds(), "compute") << analysis.diagnosed();

  EXPECT_EQ(analyze(text).ceiling("launch"), 1.0);  // inputs at fixed addresses
}

TEST(LittleGain, B08DeviceBoundTrainingWithOneSync) {
  TraceText trace;
  LaunchLoop loop(trace);
  for (int step = 0; step < kSteps; ++step) {
    loop.launch_many(500, {.duration_ns = 500'000}, 30'000).wait().end_step();
  }

  const Analysis analysis = analyze(trace.object(kH100));

  EXPECT_EQ(analysis.timeline.split.busy_ns, 250'000'000);
  EXPECT_EQ(analysis.verdict_on("launch"), Verdict::Clear);
  EXPECT_NEAR(analysis.ceiling("launch"), 1.0, 0.001);  // the way back behind the sync: 5 us of 250 ms
  EXPECT_EQ(analysis.evidence("host_syncs", "syncs_per_step"), 1);
  EXPECT_EQ(analysis.verdict_on("host_syncs"), Verdict::Clear);
  EXPECT_EQ(analysis.binds(), "compute") << analysis.diagnosed();
  EXPECT_THAT(analysis.trace_report.sentences[1], HasSubstr("1.0x is the right answer"));
}

TEST(LittleGain, B09OneKernelIsTheToken) {
  TraceText trace;
  LaunchLoop loop(trace, {.latency_ns = 0});
  for (int token = 0; token < kSteps; ++token) {
    loop.pass(300'000);  // all gaps of the token
    loop.launch({.duration_ns = 9'000'000, .name = "dequantize_kv_cache_kernel"}).pass(10'000);
    loop.launch_many(60, {.duration_ns = 5'000}, 10'000).end_step();
  }

  const Analysis analysis = analyze(trace.object(kH100));

  EXPECT_EQ(analysis.timeline.split.step_ns, 9'600'000);
  EXPECT_NEAR(analysis.busy_share(), 0.97, 0.005);  // 9.3 of 9.6
  EXPECT_EQ(analysis.verdict_on("launch"), Verdict::Clear);
  EXPECT_NEAR(analysis.ceiling("launch"), 1.03, 0.005);  // span / busy = 1.032
  ASSERT_FALSE(analysis.trace_report.kernel_classes.empty());
  const whatif::ClassRow& top = analysis.trace_report.kernel_classes.front();
  EXPECT_EQ(top.kernel_class, KernelClass::Copy);
  EXPECT_EQ(top.activities, static_cast<std::uint64_t>(kSteps));
  EXPECT_NEAR(top.share * analysis.busy_share(), 0.94, 0.005);  // 9 of 9.6
  EXPECT_EQ(analysis.binds(), "none") << analysis.diagnosed();
}

TEST(LittleGain, B10ReplayDoesNotFuse) {
  // 40 kernels of 1.5 us; four extents, so that four kernels could do it
  std::vector<Work> nodes;
  for (int node = 0; node < 40; ++node) {
    nodes.push_back({.duration_ns = 1'500,
                     .name = "void at::native::vectorized_elementwise_kernel<4, at::native::"
                             "AUnaryFunctor<float, float, float, at::native::binary_internal::MulFunctor"
                             "<float>>, std::array<char*, 2ul>>(int, at::native::AUnaryFunctor<float>)",
                     .args = fmt::format(R"("grid": [{}, 1, 1], "block": [128, 1, 1])", 16 << (node / 10))});
  }
  TraceText trace;
  LaunchLoop loop(trace, {.latency_ns = 0});
  for (int step = 0; step < kSteps; ++step) {
    loop.replay(nodes, 1'200).pass(20'000).end_step();
  }

  const Analysis analysis = analyze(trace.object(kH100));

  EXPECT_EQ(analysis.timeline.split.step_ns, 106'800);
  EXPECT_EQ(analysis.timeline.split.busy_ns, 60'000);
  // two answers, apart: nothing is left for a graph ...
  EXPECT_EQ(analysis.verdict_on("launch"), Verdict::Clear);
  EXPECT_NEAR(analysis.ceiling("launch"), 1.0, 0.001);
  EXPECT_EQ(analysis.verdict_on("already_graphed"), Verdict::Clear);
  EXPECT_EQ(analysis.evidence("already_graphed", "kernels_in_replays_share"), 1.0);
  EXPECT_THAT(analysis.finding("already_graphed").reason, HasSubstr("none left to gain"));
  // ... and fusing into four kernels of 1.5 to 6 us leaves these and three gaps
  EXPECT_EQ(analysis.verdict_on("fusion"), Verdict::Binds);
  EXPECT_EQ(analysis.evidence("fusion", "kernels_removed_per_step"), 36);
  EXPECT_EQ(analysis.evidence("fusion", "saved_gap_ns"), 36 * 1'200);
  const double left = 106'800 / analysis.ceiling("fusion");
  EXPECT_GE(left, 4 * 1'500 + 3'600 - 1) << analysis.diagnosed();  // a ceiling is a ratio: 1 ns of rounding
  EXPECT_LE(left, 4 * 6'000 + 3'600 + 1) << analysis.diagnosed();
  EXPECT_EQ(analysis.binds(), "traffic") << analysis.diagnosed();
}

constexpr std::string_view kFill =
    "void at::native::vectorized_elementwise_kernel<2, at::native::FillFunctor<long>, std::array<char*, 1ul>>"
    "(int, at::native::FillFunctor<long>, std::array<char*, 1ul>)";

TEST(LittleGain, B11ReplayOfTwoKernelsIsTooSmallToGraph) {
  constexpr std::int64_t kCopyNs = 8'000;
  TraceText trace;
  LaunchLoop loop(trace);
  for (int step = 0; step < kSteps; ++step) {
    loop.copy({.duration_ns = kCopyNs,
               .name = "Memcpy DtoD (Device -> Device)",
               .args = R"("bytes": 10485760)"})
        .pass(5'000);
    loop.launch_many(2, {.duration_ns = 1'200, .name = std::string(kFill)}, 5'000);
    loop.replay({{.duration_ns = 60'000}, {.duration_ns = 4'000, .name = "elementwise_kernel"}}, 1'000)
        .pass(20'000)
        .end_step();
  }

  const Analysis analysis = analyze(trace.object(kH100));

  EXPECT_EQ(analysis.verdict_on("already_graphed"), Verdict::Binds);
  EXPECT_THAT(analysis.finding("already_graphed").reason, HasSubstr("too small to graph"));
  EXPECT_EQ(analysis.evidence("already_graphed", "kernels_per_replay"), 2);
  EXPECT_EQ(analysis.evidence("already_graphed", "fills_before_a_replay"), 2);
  EXPECT_EQ(analysis.evidence("already_graphed", "copies_before_a_replay"), 1);
  EXPECT_EQ(analysis.evidence("already_graphed", "prologue_ns_per_replay"), 2'400 + kCopyNs);
  EXPECT_NE(analysis.binds(), "launch") << analysis.diagnosed();
}

TEST(LittleGain, B12OneKernelLosesInAGraph) {
  TraceText trace;
  LaunchLoop loop(trace, {.latency_ns = 4'000});
  for (int step = 0; step < kSteps; ++step) {
    loop.launch({.duration_ns = 4'000, .name = "index_elementwise_kernel"}).pass(8'600).end_step();
  }

  // 15 + 0.6 us of replay, and 4 us for copying 2 MB at 1 TB/s, read and written
  const Analysis analysis =
      analyze(trace.object(kH100),
              Given{.input_bytes = 2e6,
                    .constants = {constant("graph_launch_ns", 15'000), constant("graph_node_launch_ns", 600),
                                  constant("dram_achievable_gbps", 1'000)}});

  EXPECT_EQ(analysis.timeline.split.step_ns, 8'600);
  EXPECT_EQ(analysis.verdict_on("launch"), Verdict::Clear);
  EXPECT_NEAR(analysis.ceiling("launch"), 8.6 / 19.6, 0.001);  // below 0.5: a loss
  EXPECT_THAT(analysis.finding("launch").reason, HasSubstr("too small to graph"));
  EXPECT_NE(analysis.binds(), "launch") << analysis.diagnosed();
}

}  // namespace
}  // namespace foretell::cases
