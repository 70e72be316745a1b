// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/passes/fuse_refusals.hpp"

#include <fmt/format.h>

#include <set>
#include <utility>

namespace foretell::passes {
namespace {

using ir::Category;
using ir::Graph;
using ir::Node;
using ir::NodeId;

// The clause on an op that no kernel takes.
struct OwnRun {
  std::string_view reason;
  std::string_view clause;
};
OwnRun own_run(const Node& node) {
  if (node.op == ir::OpKind::HostRead) {
    return {.reason = "host-read", .clause = "makes the host wait for its result"};
  }
  switch (ir::category(node.op)) {
    case Category::Matmul:
    case Category::Convolution: return {.reason = "library-op", .clause = "runs in a library"};
    case Category::Movement:
      return {.reason = "movement", .clause = "moves elements by an index or to an offset"};
    case Category::View:
      return {.reason = "layout-copy", .clause = "has to copy, since no strides express it"};
    case Category::Composite: return {.reason = "composite", .clause = "runs as one op"};
    case Category::Reduction:
      return {.reason = "reduction-axes", .clause = "reduces axes that aren't adjacent"};
    case Category::Elementwise:
    case Category::Cast:
    case Category::Source: break;
  }
  return {.reason = "own-op", .clause = "runs by itself"};
}

Refusal explain(const Graph& graph, const Clusters& clusters, NodeId producer, NodeId consumer,
                NodeId through) {
  const std::string from = describe(graph, producer);
  const std::string to = describe(graph, consumer);
  Refusal refusal{.producer = producer, .consumer = consumer, .reason = {}, .sentence = {}};
  const std::size_t a = clusters.cluster_of(producer);
  const std::size_t b = clusters.cluster_of(consumer);
  if (!clusters.is_kernel(a)) {
    const OwnRun own = own_run(graph.node(producer));
    refusal.reason = own.reason;
    refusal.sentence = fmt::format("{} {}; {} reads its result from memory", from, own.clause, to);
  } else if (!clusters.is_kernel(b)) {
    const OwnRun own = own_run(graph.node(consumer));
    refusal.reason = own.reason;
    refusal.sentence = fmt::format("{} {}; it reads the result of {} from memory", to, own.clause, from);
  } else if (through != producer) {
    refusal.reason = "view-between";
    refusal.sentence = fmt::format("{} reads {} through {}, which stays a reading of memory", to, from,
                                   describe(graph, through));
  } else {
    const auto merged = clusters.try_merge(a, b, true);
    FORETELL_CHECK(!merged.has_value());  // or fuse would have merged them
    refusal.reason = merged.error().reason;
    refusal.sentence = fmt::format("{} and {} stay apart: {}", from, to, merged.error().text);
  }
  return refusal;
}

}  // namespace

std::vector<Refusal> explain_refusals(const Graph& graph, const Clusters& clusters) {
  std::vector<Refusal> refusals;
  std::set<std::pair<NodeId, NodeId>> told;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const auto consumer = static_cast<NodeId>(i);
    if (clusters.cluster_of(consumer) == Clusters::kNone) {
      continue;
    }
    if (clusters.is_reading(consumer)) {
      continue;
    }
    for (const NodeId operand : graph.node(consumer).operands) {
      NodeId producer = operand;
      while (clusters.is_reading(producer)) {
        producer = graph.node(producer).operands[0];
      }
      const std::size_t a = clusters.cluster_of(producer);
      const std::size_t b = clusters.cluster_of(consumer);
      if (a == Clusters::kNone || a == b || is_cheap_source(graph.node(producer)) ||
          !told.emplace(producer, consumer).second) {
        continue;
      }
      refusals.push_back(explain(graph, clusters, producer, consumer, operand));
    }
  }
  return refusals;
}

}  // namespace foretell::passes
