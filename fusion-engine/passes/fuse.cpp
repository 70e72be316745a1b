// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/passes/fuse.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "fusion-engine/passes/fuse_clusters.hpp"
#include "fusion-engine/passes/fuse_refusals.hpp"
#include "fusion-engine/passes/views.hpp"

namespace foretell::passes {
namespace {

using ir::Category;
using ir::Graph;
using ir::Node;
using ir::NodeId;

// Merges the clusters of two nodes if they are two kernels and it pays.
bool merge_kernels(Clusters& clusters, std::size_t a, std::size_t b, bool saves) {
  if (a == Clusters::kNone || b == Clusters::kNone || a == b || !clusters.is_kernel(a) ||
      !clusters.is_kernel(b)) {
    return false;
  }
  auto merged = clusters.try_merge(a, b, saves);
  if (merged) {
    clusters.merge(a, b, *std::move(merged));
  }
  return merged.has_value();
}

// Producers into their consumers.
bool fuse_vertically(const Graph& graph, Clusters& clusters) {
  bool changed = false;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const auto id = static_cast<NodeId>(i);
    for (const NodeId operand : graph.node(id).operands) {
      changed =
          merge_kernels(clusters, clusters.cluster_of(operand), clusters.cluster_of(id), true) || changed;
    }
  }
  return changed;
}

// Kernels that read the same value.
bool fuse_readers(const Graph& graph, Clusters& clusters) {
  bool changed = false;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    std::size_t first = Clusters::kNone;
    for (std::size_t cluster = 0; cluster < clusters.size(); ++cluster) {
      const auto& inputs = clusters.border(cluster).inputs;
      if (!clusters.is_kernel(cluster) || std::ranges::find(inputs, static_cast<NodeId>(i)) == inputs.end()) {
        continue;
      }
      if (first == Clusters::kNone || clusters.members(first).empty()) {
        first = cluster;
      } else {
        changed = merge_kernels(clusters, first, cluster, true) || changed;
      }
    }
  }
  return changed;
}

// Kernels with nothing in common but their space, when what they move stays in a core's cache: then the
// launch is a good part of their time. Larger ones gain nothing and would compete for cache and prefetch
// streams.
bool fuse_independent(Clusters& clusters, const FuseOptions& options) {
  bool changed = false;
  for (std::size_t a = 0; a < clusters.size(); ++a) {
    for (std::size_t b = a + 1; b < clusters.size() && clusters.is_kernel(a); ++b) {
      if (clusters.is_kernel(b) && clusters.space(a).shape == clusters.space(b).shape &&
          clusters.bytes(a) + clusters.bytes(b) <= options.private_cache_bytes) {
        changed = merge_kernels(clusters, a, b, false) || changed;
      }
    }
  }
  return changed;
}

std::int64_t count_flops(const Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  if (ir::category(node.op) == Category::Reduction) {
    // The variance takes a sum, a difference, a square and a sum; the others one operation.
    return ir::elements(graph.type(node.operands[0]).shape) * (node.op == ir::OpKind::Var ? 4 : 1);
  }
  return ir::elements(node.type.shape) * ir::info(node.op).flops;
}

std::int64_t unfused_bytes(const Graph& graph, const std::vector<Operand>& readings, NodeId id) {
  std::int64_t bytes = ir::size_bytes(graph.type(id));
  std::set<NodeId> seen;
  for (const NodeId operand : graph.node(id).operands) {
    if (seen.insert(operand).second) {
      bytes += read_bytes(graph, readings[ir::index(operand)]);
    }
  }
  return bytes;
}

FusionGroup make_group(const Graph& graph, const std::vector<Operand>& readings, const Clusters& clusters,
                       std::size_t cluster) {
  const Border& border = clusters.border(cluster);
  FusionGroup group;
  std::ranges::merge(clusters.members(cluster), border.sources, std::back_inserter(group.nodes));
  for (const NodeId input : border.inputs) {
    group.inputs.push_back(readings[ir::index(input)]);
    group.bytes_fused += read_bytes(graph, readings[ir::index(input)]);
  }
  group.outputs = border.outputs;
  for (const NodeId output : border.outputs) {
    group.bytes_fused += ir::size_bytes(graph.type(output));
  }
  group.space = clusters.space(cluster).shape;
  group.reduced_axes = clusters.space(cluster).reduced_axes;
  for (const NodeId id : group.nodes) {
    group.bytes_unfused += unfused_bytes(graph, readings, id);
    group.flops += count_flops(graph, id);
  }
  return group;
}

}  // namespace

FusionPlan fuse(const Graph& graph, const FuseOptions& options) {
  const std::vector<Operand> readings = resolve_views(graph);
  Clusters clusters(graph, options, readings);
  // Ends: each merge leaves one cluster less.
  while (fuse_vertically(graph, clusters) ||
         (options.horizontal && (fuse_readers(graph, clusters) || fuse_independent(clusters, options)))) {
  }

  FusionPlan plan;
  for (const std::size_t cluster : clusters.order()) {
    const NodeId last = clusters.members(cluster).back();
    if (clusters.is_kernel(cluster)) {
      plan.steps.push_back({.kind = PlanStep::Kind::Kernel, .node = last, .group = plan.groups.size()});
      plan.groups.push_back(make_group(graph, readings, clusters, cluster));
    } else {
      const bool view = readings[ir::index(last)].buffer != last;
      plan.steps.push_back(
          {.kind = view ? PlanStep::Kind::View : PlanStep::Kind::Op, .node = last, .group = 0});
    }
  }
  plan.refusals = explain_refusals(graph, clusters);
  return plan;
}

}  // namespace foretell::passes
