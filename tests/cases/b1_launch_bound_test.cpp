// SPDX-License-Identifier: Apache-2.0
// Launch-bound steps, where graphs pay: how much at most, and from which batch on nothing.
#include <gmock/gmock.h>

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "analyzer/cost/replay_cost.hpp"
#include "tests/cases/launch_loop.hpp"

namespace foretell::cases {
namespace {

using checks::Verdict;
using testing::HasSubstr;
using timeline::IdleClass;

constexpr int kSteps = 5;

TEST(LaunchBound, B01SameModelBatch8And96) {
  struct Row {
    std::string_view name;
    std::int64_t kernel_ns, step_ns, busy_ns;
    double ceiling;
    Verdict launch;
  };
  // ceilings are step / busy: 74.96 / 15.0, and 1 for a full device
  constexpr std::array kRows{
      Row{"batch 8", 10'000, 74'960'000, 15'000'000, 4.997, Verdict::Binds},
      Row{"batch 96", 120'000, 180'000'000, 180'000'000, 1.0, Verdict::Clear},
  };
  for (const Row& row : kRows) {
    SCOPED_TRACE(row.name);
    TraceText trace;
    // the sketch's step is that of a kernel that starts with its launch: 1,499 x 50 + 10 us
    LaunchLoop loop(trace, {.latency_ns = 0});
    for (int step = 0; step < kSteps; ++step) {
      loop.launch_many(1'499, {.duration_ns = row.kernel_ns}, 50'000).launch({.duration_ns = row.kernel_ns});
      loop.pass(4'000).end_step();
    }

    const Analysis analysis = analyze(trace.object(kH100));

    EXPECT_EQ(analysis.timeline.split.step_ns, row.step_ns);
    EXPECT_EQ(analysis.timeline.split.busy_ns, row.busy_ns);
    EXPECT_EQ(analysis.verdict_on("launch"), row.launch);
    EXPECT_NEAR(analysis.ceiling("launch"), row.ceiling, 0.005);  // the sketch's own rounding
    EXPECT_EQ(analysis.evidence("launch", "kernels_per_step"), 1'500);
    EXPECT_EQ(analysis.evidence("launch", "launch_interval_ns"), 50'000);
    EXPECT_EQ(analysis.binds(), row.launch == Verdict::Binds ? "launch" : "compute") << analysis.diagnosed();
  }
}

TEST(LaunchBound, B02SmallKernelsWithTwoHostReads) {
  constexpr std::int64_t kEveryNs = 24'300;
  TraceText trace;
  LaunchLoop loop(trace);
  for (int step = 0; step < kSteps; ++step) {
    for (int kernel = 1; kernel <= 1'150; ++kernel) {
      loop.launch({.duration_ns = 7'300});
      if (kernel == 400 || kernel == 410) {
        // read and wait fit into the time between two launches
        loop.pass(8'000).copy(
            {.duration_ns = 1'000, .name = "Memcpy DtoH (Device -> Pageable)", .args = R"("bytes": 4)"});
        loop.pass(4'000).wait(1'000).pass(kEveryNs - 15'000);
      } else {
        loop.pass(kEveryNs);
      }
    }
    loop.end_step();
  }

  const Analysis analysis = analyze(trace.object(kH100));

  EXPECT_EQ(analysis.timeline.split.step_ns, 1'150 * kEveryNs);
  EXPECT_NEAR(analysis.busy_share(), 0.30, 0.005);  // two copies beside the kernels
  EXPECT_EQ(analysis.evidence("host_syncs", "syncs_per_step"), 2);
  EXPECT_EQ(analysis.evidence("host_syncs", "host_reads_per_step"), 2);
  EXPECT_THAT(analysis.finding("host_syncs").reason, HasSubstr("each also cuts a CUDA graph"));
  ASSERT_FALSE(analysis.finding("host_syncs").examples.empty());
  EXPECT_EQ(analysis.finding("host_syncs").examples.front().count, 2U);
  EXPECT_EQ(analysis.verdict_on("launch"), Verdict::Binds);
  EXPECT_GT(analysis.ceiling("launch"), 2.0);
  EXPECT_LE(analysis.ceiling("launch"), 3.33);  // 1 / 0.30
  EXPECT_EQ(analysis.binds(), "launch") << analysis.diagnosed();
}

// A chain of empty kernels and a wait, all of it taking `eager_ns`, a few times over.
Analysis analyze_chain(int kernels, std::int64_t eager_ns, std::int64_t call_ns,
                       std::vector<cost::Constant> constants) {
  TraceText trace;
  LaunchLoop loop(trace, {.latency_ns = call_ns + 1'000, .call_ns = call_ns});
  for (int step = 0; step < kSteps; ++step) {
    const std::int64_t every_ns = eager_ns / kernels;
    const std::int64_t end_ns = loop.now_ns() + eager_ns;
    loop.launch_many(kernels - 1, {.duration_ns = 500, .name = "empty_kernel"}, every_ns);
    loop.launch({.duration_ns = 500, .name = "empty_kernel"}).pass(call_ns).wait();
    loop.pass(end_ns - loop.now_ns()).end_step();
  }
  return analyze(trace.object(kH100), Given{.constants = std::move(constants)});
}

TEST(LaunchBound, B03ReplayIsPricedByTheMachineAtHand) {
  struct Row {
    int kernels;
    std::int64_t eager_ns;
    double graph_ns;
  };
  constexpr std::array kRows{Row{8, 51'900, 19'400}, Row{36, 233'500, 37'900}, Row{117, 735'400, 82'900}};
  for (const Row& row : kRows) {
    SCOPED_TRACE(row.kernels);
    const Analysis analysis =
        analyze_chain(row.kernels, row.eager_ns, 2'700,
                      {constant("graph_launch_ns", 15'000), constant("graph_node_launch_ns", 580)});

    EXPECT_EQ(analysis.timeline.split.step_ns, row.eager_ns);
    EXPECT_EQ(analysis.verdict_on("launch"), Verdict::Binds);
    // the case asks for 10 %
    EXPECT_NEAR(static_cast<double>(row.eager_ns) / analysis.ceiling("launch"), row.graph_ns,
                0.1 * row.graph_ns)
        << analysis.diagnosed();
    EXPECT_NEAR(analysis.evidence("launch", "launch_interval_ns"), 6'400, 200);  // about 6.4 us
    EXPECT_EQ(analysis.evidence("launch", "launch_call_p10_ns"), 2'700);         // enqueueing alone
  }
}

TEST(LaunchBound, B03PriceListAsRecordedGivesTheSameForecasts) {
  constexpr std::array kPriceList{cost::ChainTime{8, 19'400},  cost::ChainTime{16, 25'600},
                                  cost::ChainTime{24, 28'700}, cost::ChainTime{36, 37'900},
                                  cost::ChainTime{64, 49'100}, cost::ChainTime{117, 82'900}};
  const auto cost = cost::fit_replay_cost(kPriceList);
  ASSERT_TRUE(cost.has_value());
  for (const cost::ChainTime& chain : kPriceList) {
    EXPECT_NEAR(cost::replay_ns(chain.nodes, cost->fixed_ns, cost->per_node_ns), chain.time_ns,
                0.1 * chain.time_ns);
  }
}

TEST(LaunchBound, B03LaunchCostIsReadFromTheTrace) {
  // the second machine: 16 launches of 42.3 us each against a replay of 122 us, 7.65 us per op; 5.53x
  // measured
  const Analysis analysis = analyze_chain(
      16, 16 * 42'300, 20'000, {constant("graph_launch_ns", 0), constant("graph_node_launch_ns", 7'650)});

  EXPECT_EQ(analysis.evidence("launch", "launch_interval_ns"), 42'300);  // 6x the first machine's
  EXPECT_NEAR(analysis.ceiling("launch"), 5.53, 0.01);
}

TEST(LaunchBound, B04ClosingSyncIsTheProfilers) {
  TraceText trace;
  trace.annotation({.ts = "0", .dur = "1100", .name = "ProfilerStep#1"})
      .op({.ts = "5", .dur = "1000", .name = "aten::matmul", .external_id = 1})
      .call({.ts = "10", .dur = "8", .correlation = 1, .external_id = 1})
      .kernel({.ts = "20", .dur = "12", .correlation = 1})
      .op({.ts = "1006", .dur = "60", .name = "aten::add", .external_id = 2})
      .call({.ts = "1010", .dur = "8", .correlation = 2, .external_id = 2})
      .kernel({.ts = "1020", .dur = "12", .correlation = 2, .name = "elementwise_kernel"})
      .call({.ts = "1100", .dur = "1780", .correlation = 3, .name = "cudaDeviceSynchronize"});

  const Analysis analysis = analyze(trace.object(kH100));

  EXPECT_EQ(analysis.timeline.split.step_ns, 1'100'000);
  EXPECT_EQ(analysis.timeline.split.busy_ns, 24'000);  // 98 % idle
  EXPECT_EQ(analysis.verdict_on("launch"), Verdict::Binds);
  EXPECT_EQ(analysis.binds(), "launch") << analysis.diagnosed();
  EXPECT_THAT(analysis.finding("launch").reason,
              HasSubstr("2 kernels a step is too little to forecast from"));
  EXPECT_EQ(analysis.verdict_on("host_syncs"), Verdict::Clear);
  EXPECT_EQ(analysis.evidence("host_syncs", "syncs_per_step"), 0);
  EXPECT_EQ(analysis.evidence("host_syncs", "closing_sync_ns"), 1'780'000);
  EXPECT_EQ(analysis.idle_ns(IdleClass::Sync), 0);
  EXPECT_THAT(analysis.finding("host_syncs").reason,
              HasSubstr("the closing synchronisation is the profiler's"));
}

}  // namespace
}  // namespace foretell::cases
