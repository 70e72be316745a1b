// SPDX-License-Identifier: Apache-2.0
// What misleading traces say about classes and bounds. How they are read is asserted in the files of their
// kinds.
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "tests/cases/launch_loop.hpp"

namespace foretell::cases {
namespace {

using checks::Verdict;
using testing::HasSubstr;
using timeline::IdleClass;
using timeline::KernelClass;

const whatif::ClassRow& class_row(const Analysis& analysis, KernelClass kernel_class) {
  static const whatif::ClassRow kNone;
  const auto& rows = analysis.trace_report.kernel_classes;
  const auto found = std::ranges::find(rows, kernel_class, &whatif::ClassRow::kernel_class);
  if (found == rows.end()) {
    ADD_FAILURE() << "no kernel of class " << timeline::to_string(kernel_class);
    return kNone;
  }
  return *found;
}

TEST(Bounds, A21CollectivesByNameAndWaitsAreNotWork) {
  for (const std::string_view collective :
       {"ncclDevKernel_AllReduce_Sum_bf16_RING_LL", "ncclKernel_AllReduce_RING_LL_Sum_float", "ncclXyz"}) {
    SCOPED_TRACE(collective);
    TraceText trace;
    for (int i = 0; i < 10; ++i) {
      constexpr std::array kWaits{"Stream Sync", "Device Sync", "Event Sync"};
      const std::int64_t begin = i * 200'000;
      trace.kernel({.ts = us(begin), .dur = "100"})
          .kernel({.ts = us(begin + 10'000), .dur = "80", .stream = 20, .name = std::string(collective)})
          .sync({.ts = us(begin + 105'000), .dur = "90", .name = kWaits[static_cast<std::size_t>(i) % 3]});
    }

    const Analysis analysis = analyze(trace.object(kH100));

    EXPECT_EQ(class_row(analysis, KernelClass::Gemm).device_ns, 1'000'000);
    EXPECT_EQ(class_row(analysis, KernelClass::Communication).device_ns, 800'000);
    EXPECT_EQ(analysis.evidence("communication", "communication_sum_ns"), 800'000);
    EXPECT_EQ(analysis.evidence("communication", "hidden_ns"), 800'000);
    EXPECT_EQ(analysis.evidence("communication", "exposed_ns"), 0);
    EXPECT_EQ(analysis.verdict_on("communication"), Verdict::Clear);
    EXPECT_EQ(analysis.facts().device_busy_ns, 1'000'000);
    std::int64_t busy_ns = 0;
    for (const timeline::StepSplit& step : analysis.timeline.split.steps) {
      busy_ns += std::accumulate(step.busy_ns.begin(), step.busy_ns.end(), std::int64_t{0});
    }
    EXPECT_EQ(busy_ns, 1'000'000);
  }
}

TEST(Bounds, A21UnknownNamesAreListedWithTheirShare) {
  TraceText trace;
  trace.kernel({.ts = "0", .dur = "75"}).kernel({.ts = "80", .dur = "25", .name = "zzyzx_v3"});

  const Analysis analysis = analyze(trace.object(kH100));

  EXPECT_EQ(class_row(analysis, KernelClass::Unknown).activities, 1U);
  EXPECT_EQ(class_row(analysis, KernelClass::Unknown).share, 0.25);
}

TEST(Bounds, A27NothingLeftToGainWhereAllIsInReplays) {
  std::vector<Work> nodes;
  for (int node = 0; node < 24; ++node) {
    nodes.push_back({.duration_ns = 4'000, .name = fmt::format("layer_{}", node)});
  }
  for (int node = 0; node < 7; ++node) {
    nodes.push_back({.duration_ns = 1'000, .name = "Memcpy DtoD (Device -> Device)"});
  }
  for (const std::int64_t every_ns : {103'000, 200'000}) {  // replays in a row, and with idle time between
    SCOPED_TRACE(every_ns);
    TraceText trace;
    LaunchLoop loop(trace, {.latency_ns = 25'000});
    for (int replay = 0; replay < 10; ++replay) {
      loop.replay(nodes, 0).pass(every_ns);
    }

    const Analysis analysis = analyze(trace.object(kH100));

    EXPECT_EQ(analysis.evidence("already_graphed", "kernels_in_replays_share"), 1.0);
    EXPECT_EQ(analysis.evidence("already_graphed", "graph_launches"), 10);
    EXPECT_EQ(analysis.evidence("already_graphed", "kernels_per_replay"), 24);
    EXPECT_EQ(analysis.evidence("launch", "launches_per_step"), 1);
    EXPECT_EQ(analysis.verdict_on("already_graphed"), Verdict::Clear);
    EXPECT_THAT(analysis.finding("already_graphed").reason, HasSubstr("none left to gain"));
    EXPECT_EQ(analysis.verdict_on("launch"), Verdict::Clear);
    EXPECT_EQ(analysis.ceiling("launch"), 1.0) << analysis.diagnosed();
    EXPECT_THAT(analysis.finding("launch").reason,
                HasSubstr("100.0 % of the kernels are inside graph replays"));
    EXPECT_EQ(analysis.idle_ns(IdleClass::Launch), 0);
    EXPECT_NE(analysis.binds(), "launch") << analysis.diagnosed();
  }
}

TEST(Bounds, A28NoOpLevelClaimInsideReplays) {
  // kernels of a dozen kinds, none next to one it could be fused with
  constexpr std::array kNames{"gemm",           "elementwise_kernel",  "flash_fwd_kernel",
                              "softmax_kernel", "reshape_and_cache",   "fmha_kernel",
                              "decode_custom",  "rotary_embedding_op", "cublasLt_splitKreduce",
                              "layer_norm_fwd", "topk_gating"};
  std::vector<Work> nodes;
  for (int node = 0; node < 1'049; ++node) {
    nodes.push_back({.duration_ns = 5'000, .name = kNames[static_cast<std::size_t>(node) % kNames.size()]});
  }
  TraceText trace;
  LaunchLoop loop(trace);
  for (int replay = 0; replay < 4; ++replay) {
    loop.launch_many(25, {.duration_ns = 5'000, .name = "embedding_kernel"}, 10'000);
    loop.replay(nodes, 0).pass(20'000).end_step();
  }

  const Analysis analysis = analyze(trace.object(kH100));

  EXPECT_EQ(analysis.evidence("already_graphed", "kernels_per_replay"), 1'049);
  EXPECT_GE(analysis.evidence("already_graphed", "device_time_in_replays_share"), 0.97);
  EXPECT_LE(analysis.evidence("already_graphed", "device_time_in_replays_share"), 0.98);
  EXPECT_EQ(analysis.verdict_on("launch"), Verdict::Clear);
  EXPECT_EQ(analysis.verdict_on("fusion"), Verdict::Clear);
  EXPECT_EQ(analysis.ceiling("fusion"), 1.0) << analysis.diagnosed();
  EXPECT_TRUE(analysis.trace_report.groups.empty());
  EXPECT_GT(analysis.evidence("fusion", "unclaimed_ns"), 0);
  EXPECT_THAT(analysis.finding("fusion").reason,
              HasSubstr("inside graph replays without op names and shapes, of which nothing is claimed"));
  EXPECT_NE(analysis.binds(), "launch") << analysis.diagnosed();
}

TEST(Bounds, A43QueueTimeIsSlack) {
  TraceText trace;
  LaunchLoop loop(trace, {.latency_ns = 4'000});
  loop.launch_many(1'000, {.duration_ns = 200'000}, 5'000);

  const Analysis analysis = analyze(trace.object(kH100));

  EXPECT_GT(analysis.busy_share(), 0.9999);  // all but the 4 us before the first kernel
  EXPECT_NEAR(analysis.evidence("launch", "queue_delay_median_ns"), 97.4e6, 0.1e6);
  EXPECT_EQ(analysis.verdict_on("launch"), Verdict::Clear);
  EXPECT_NEAR(analysis.ceiling("launch"), 1.0, 0.0001);
  EXPECT_THAT(analysis.finding("launch").reason, HasSubstr("its queue is well filled"));
  EXPECT_EQ(analysis.binds(), "compute") << analysis.diagnosed();
}

TEST(Bounds, A44WhatCommunicationAndIdleTimeCost) {
  TraceText trace;
  trace.kernel({.ts = "0", .dur = "10000", .stream = 7})
      .kernel({.ts = "1000", .dur = "3415", .stream = 20, .name = "ncclDevKernel_AllGather"})
      .kernel({.ts = "10700", .dur = "6280", .stream = 7})
      .kernel({.ts = "16980", .dur = "1020", .stream = 20, .name = "ncclDevKernel_ReduceScatter"});

  const Analysis analysis = analyze(trace.object(kH100));

  const auto busy = [&](timeline::BusyClass busy_class) {
    return analysis.timeline.split.busy[static_cast<std::size_t>(busy_class)];
  };
  EXPECT_EQ(analysis.timeline.split.step_ns, 18'000'000);
  // the four numbers: compute, collective alone, idle, hidden
  EXPECT_EQ(busy(timeline::BusyClass::Kernels), 16'280'000);
  EXPECT_EQ(busy(timeline::BusyClass::Communication), 1'020'000);
  EXPECT_EQ(analysis.evidence("communication", "exposed_ns"), 1'020'000);
  EXPECT_EQ(analysis.evidence("communication", "idle_ns_per_step"), 700'000);
  EXPECT_EQ(analysis.evidence("communication", "hidden_ns"), 3'415'000);
  EXPECT_EQ(analysis.evidence("communication", "communication_sum_ns"), 4'435'000);
  EXPECT_THAT(analysis.finding("communication").reason, HasSubstr("77.0 % of their time is hidden"));
  EXPECT_DOUBLE_EQ(analysis.evidence("communication", "ceiling_with_all_idle"), 18'000.0 / 16'280.0);
  EXPECT_DOUBLE_EQ(analysis.ceiling("communication"), 18'000.0 / 16'980.0);
  EXPECT_EQ(analysis.verdict_on("communication"), Verdict::Clear);
  EXPECT_EQ(analysis.binds(), "compute") << analysis.diagnosed();
}

TEST(Bounds, A45ApiTimeBesideTheCriticalPath) {
  const TraceText trace = api_time_beside_the_step();

  const Analysis analysis = analyze(trace.object(kH100));

  EXPECT_EQ(analysis.timeline.split.step_ns, 196'000'000);
  EXPECT_EQ(analysis.timeline.split.busy_ns, 60'000'000);
  EXPECT_GE(analysis.ceiling("launch"), 1.00);
  EXPECT_LE(analysis.ceiling("launch"), 1.03) << analysis.diagnosed();
  EXPECT_EQ(analysis.verdict_on("launch"), Verdict::Clear);
  EXPECT_EQ(analysis.verdict_on("host_syncs"), Verdict::Clear);
  EXPECT_EQ(analysis.verdict_on("host_work"), Verdict::Binds);
  EXPECT_EQ(analysis.binds(), "host") << analysis.diagnosed();
}

}  // namespace
}  // namespace foretell::cases
