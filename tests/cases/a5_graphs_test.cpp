// SPDX-License-Identifier: Apache-2.0
// Graph replays in traces: one launch with many records, records without a launch, records never made.
#include <gmock/gmock.h>

#include "tests/cases/trace_text.hpp"

namespace foretell::cases {
namespace {

using timeline::Step;
using timeline::StepKind;
using timeline::Verdict;

std::string graph_node(int graph, int node) {
  return fmt::format(R"("graph id": {}, "graph node id": {})", graph, node);
}

TEST(GraphReplays, A27ManyRecordsOfOneLaunchAreOneLaunch) {
  TraceText trace;
  for (int replay = 0; replay < 10; ++replay) {
    const std::int64_t begin = replay * 200'000;
    trace.call({.ts = us(begin), .dur = "20", .correlation = replay + 1, .name = "cudaGraphLaunch"});
    for (int node = 0; node < 24; ++node) {
      trace.kernel({.ts = us(begin + 25'000 + node * 4'000),
                    .dur = "4",
                    .correlation = replay + 1,
                    .name = fmt::format("layer_{}", node),
                    .args = graph_node(2, node)});
    }
    for (int node = 24; node < 31; ++node) {
      trace.memcpy({.ts = us(begin + 121'000 + (node - 24) * 1'000),
                    .dur = "1",
                    .correlation = replay + 1,
                    .name = "Memcpy DtoD (Device -> Device)",
                    .args = graph_node(2, node)});
    }
  }

  const Analysis analysis = analyze(trace.object());

  EXPECT_EQ(analysis.facts().graph_launches, 10U);
  EXPECT_EQ(analysis.facts().launch_calls, 0U);
  EXPECT_EQ(analysis.facts().kernels, 240U);
  EXPECT_EQ(analysis.facts().memcpys, 70U);
  EXPECT_EQ(analysis.facts().linked_share, 1.0);
  const timeline::GraphStats& graphs = analysis.timeline.graphs;
  EXPECT_EQ(graphs.launches, 10U);
  EXPECT_EQ(graphs.kernels, 240U);
  EXPECT_EQ(graphs.copies, 70U);
  EXPECT_EQ(graphs.kernels_per_replay, 24U);
  EXPECT_EQ((graphs.kernels + graphs.copies) / graphs.launches, 31U);
  EXPECT_EQ(graphs.kernels, analysis.facts().kernels);  // 100 % of the kernels are in graphs already
  EXPECT_EQ(graphs.device_time_share, 1.0);
  EXPECT_EQ(analysis.timeline.launches.linked, 10U);
  EXPECT_EQ(analysis.timeline.launches.call_sum_ns, 10 * 20'000);  // charged once per replay, not per kernel
  EXPECT_EQ(analysis.timeline.steps.kind, StepKind::KernelSequence);
  EXPECT_EQ(analysis.timeline.steps.all.size(), 10U);
  for (const Step& step : analysis.timeline.steps.all) {
    EXPECT_EQ(step.launches, 1U);
    EXPECT_EQ(step.kernels, 24U);
  }
}

TEST(GraphReplays, A28ShareInsideReplaysIsSaidAndBelongsToNoOp) {
  TraceText trace;
  std::int64_t device_ns = 0;  // where the stream is free again
  int correlation = 0;
  const auto eager_ops = [&](int count) {
    for (int i = 0; i < count; ++i) {
      ++correlation;
      trace.op({.ts = us(device_ns), .dur = "4", .name = "aten::embedding", .external_id = correlation})
          .call({.ts = us(device_ns + 1'000),
                 .dur = "2",
                 .correlation = correlation,
                 .external_id = correlation})
          .kernel({.ts = us(device_ns + 5'000),
                   .dur = "5",
                   .correlation = correlation,
                   .name = "embedding_kernel"});
      device_ns += 10'000;
    }
  };
  for (int replay = 0; replay < 4; ++replay) {
    eager_ops(25);
    ++correlation;
    trace.call({.ts = us(device_ns), .dur = "20", .correlation = correlation, .name = "cudaGraphLaunch"});
    device_ns += 30'000;
    for (int node = 0; node < 1'049; ++node) {
      trace.kernel({.ts = us(device_ns),
                    .dur = "5",
                    .correlation = correlation,
                    .name = fmt::format("decode_{}", node % 17),
                    .args = graph_node(3, node)});
      device_ns += 5'000;
    }
  }

  const Analysis analysis = analyze(trace.object());

  const timeline::GraphStats& graphs = analysis.timeline.graphs;
  EXPECT_EQ(graphs.launches, 4U);
  EXPECT_EQ(graphs.kernels, 4U * 1'049U);
  EXPECT_EQ(graphs.kernels_per_replay, 1'049U);
  EXPECT_EQ(graphs.min_kernels_per_replay, 1'049U);
  EXPECT_EQ(graphs.max_kernels_per_replay, 1'049U);
  EXPECT_GE(graphs.device_time_share, 0.97);
  EXPECT_LE(graphs.device_time_share, 0.98);
  EXPECT_EQ(analysis.op_time("aten::embedding").device_ns, 500'000);  // the eager part keeps its ops
  EXPECT_EQ(analysis.timeline.links.op_of_activity[analysis.activity_row("decode_3")], profile::kNoRow);
  EXPECT_TRUE(analysis.says("97.7 % of device time is inside 4 graph replays of 1,049 kernels"));
  EXPECT_TRUE(analysis.says("op names and shapes"));
  EXPECT_TRUE(analysis.says("unknown"));
}

TEST(GraphReplays, A29LaunchesWithoutDeviceRecordsAreNotAnIdleDevice) {
  TraceText trace;
  for (int i = 0; i < 500; ++i) {
    trace.call({.ts = us(i * 10'000), .dur = "5", .correlation = i + 1});
  }
  for (int i = 0; i < 10; ++i) {
    trace.call(
        {.ts = us(5'000'000 + i * 30'000), .dur = "20", .correlation = 501 + i, .name = "cudaGraphLaunch"});
  }

  const Analysis analysis = analyze(trace.object());

  EXPECT_EQ(analysis.facts().launch_calls, 500U);
  EXPECT_EQ(analysis.facts().graph_launches, 10U);
  EXPECT_EQ(analysis.facts().kernels, 0U);
  EXPECT_EQ(analysis.facts().linked_share, std::nullopt);
  EXPECT_EQ(analysis.verdict(), Verdict::Unusable);
  EXPECT_TRUE(analysis.says("device activity not collected"));
  EXPECT_FALSE(analysis.says("100 %"));
  EXPECT_FALSE(analysis.says("launch-bound"));
}

// Ten marked steps of 30 ms whose kernels all run in one burst after the last marker.
std::string deferred_burst(bool linked) {
  TraceText trace;
  for (int step = 0; step < 10; ++step) {
    const std::int64_t begin = step * 30'000'000;
    trace.annotation({.ts = us(begin), .dur = "30000", .name = "decode_step"})
        .call({.ts = us(begin + 1'000'000), .dur = "25", .correlation = step + 1, .name = "cudaGraphLaunch"});
    for (int node = 0; node < 100; ++node) {
      trace.kernel({.ts = us(350'000'000 + (step * 100 + node) * 200'000),
                    .dur = "200",
                    .correlation = linked ? step + 1 : 0,
                    .name = fmt::format("node_{}", node),
                    .args = graph_node(1, node)});
    }
  }
  return trace.object();
}

TEST(GraphReplays, A30DeviceTimeOfAStepGoesByLaunchNotByClock) {
  const Analysis analysis = analyze(deferred_burst(true));

  EXPECT_EQ(analysis.timeline.steps.kind, StepKind::UserRange);
  ASSERT_EQ(analysis.timeline.steps.all.size(), 10U);
  for (const Step& step : analysis.timeline.steps.all) {
    EXPECT_EQ(step.duration_ns, 30'000'000);
    EXPECT_EQ(step.kernels, 100U);
    EXPECT_EQ(step.launches, 1U);
    EXPECT_EQ(step.kernel_sum_ns, 20'000'000);
    EXPECT_EQ(step.busy_ns, 20'000'000);
  }
  EXPECT_EQ(analysis.timeline.steps.busy_ns, 20'000'000);
  EXPECT_FALSE(analysis.says("per-step timing not recoverable"));
}

TEST(GraphReplays, A30WithoutLinksPerStepTimingIsNotRecoverable) {
  const Analysis analysis = analyze(deferred_burst(false));

  EXPECT_EQ(analysis.facts().linked_share, 0.0);
  EXPECT_EQ(analysis.facts().kernel_busy_ns, 200'000'000);  // the total stands
  EXPECT_EQ(analysis.verdict(), Verdict::Partial);
  EXPECT_TRUE(analysis.says("per-step timing not recoverable"));
  EXPECT_TRUE(analysis.says("totals only"));
}

TEST(GraphReplays, A31WaitThatRecordedWorkDoesNotExplain) {
  TraceText trace;
  trace.call({.ts = "0", .dur = "20", .correlation = 1, .name = "cudaGraphLaunch"});
  for (int node = 0; node < 3; ++node) {
    trace.kernel({.ts = us(25'000 + node * 10'000),
                  .dur = "10",
                  .correlation = 1,
                  .name = fmt::format("body_{}", node),
                  .args = graph_node(4, node)});
  }
  trace.call({.ts = "20", .dur = "10000", .correlation = 2, .name = "cudaStreamSynchronize"});

  const Analysis analysis = analyze(trace.object());

  ASSERT_TRUE(analysis.timeline.graphs.wait_explained_share.has_value());
  EXPECT_DOUBLE_EQ(*analysis.timeline.graphs.wait_explained_share, 0.003);
  EXPECT_EQ(analysis.timeline.graphs.wait_ns, 10'000'000);
  EXPECT_TRUE(analysis.says("recorded device work explains only 0.3 % of the wait"));
}

}  // namespace
}  // namespace foretell::cases
