// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/passes/fuse.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "fusion-engine/ir/flops.hpp"
#include "fusion-engine/passes/fuse_clusters.hpp"
#include "fusion-engine/passes/fuse_refusals.hpp"
#include "fusion-engine/passes/views.hpp"
#include "src/base/saturate.hpp"

namespace foretell::passes {
namespace {

using ir::Graph;
using ir::NodeId;

// Grows the clusters until no two may become one. A sweep takes all pairs of its kind, except for those that
// the sweep before refused and that are what they were.
class Grower {
 public:
  Grower(const Graph& graph, const FuseOptions& options, Clusters& clusters)
      : graph_(graph),
        options_(options),
        clusters_(clusters),
        first_readers_(graph.size(), Clusters::kNone) {}

  void run() {
    // Ends: each merge leaves one cluster less.
    while (sweep(vertical_, &Grower::fuse_vertically) ||
           (options_.horizontal &&
            (sweep(readers_, &Grower::fuse_readers) || sweep(independent_, &Grower::fuse_independent)))) {
    }
  }

 private:
  // Clusters changed since the kind's last sweep began are those changed at a later merge than `since`.
  struct Sweep {
    bool is_first = true;
    std::size_t since = 0;
  };

  // Whether it merged anything.
  bool sweep(Sweep& kind, void (Grower::*pass)(const Sweep&)) {
    const std::size_t before = clusters_.merges();
    (this->*pass)(kind);
    kind = {.is_first = false, .since = before};
    return clusters_.merges() != before;
  }

  bool is_new(const Sweep& kind, std::size_t cluster) const {
    return kind.is_first || clusters_.changed_at(cluster) > kind.since;
  }

  // Merges two kernels if they fit and it pays.
  void try_merge(std::size_t a, std::size_t b, bool saves) {
    if (auto merged = clusters_.try_merge(a, b, saves)) {
      clusters_.merge(a, b, *std::move(merged));
    }
  }

  // Producers into their consumers.
  void fuse_vertically(const Sweep& kind) {
    for (std::size_t i = 0; i < graph_.size(); ++i) {
      const auto id = static_cast<NodeId>(i);
      for (const NodeId operand : graph_.node(id).operands) {
        const std::size_t a = clusters_.cluster_of(operand);
        const std::size_t b = clusters_.cluster_of(id);
        if (a != Clusters::kNone && b != Clusters::kNone && a != b && clusters_.is_kernel(a) &&
            clusters_.is_kernel(b) && (is_new(kind, a) || is_new(kind, b))) {
          try_merge(a, b, true);
        }
      }
    }
  }

  // Kernels that read the same value: the first of them and each other one.
  void fuse_readers(const Sweep& kind) {
    for (std::size_t i = 0; i < graph_.size(); ++i) {
      const auto id = static_cast<NodeId>(i);
      std::size_t first = Clusters::kNone;
      bool is_other = false;  // than at the sweep before
      for (const std::size_t cluster : clusters_.readers(id)) {
        const auto& inputs = clusters_.border(cluster).inputs;
        if (!clusters_.is_kernel(cluster) || std::ranges::find(inputs, id) == inputs.end()) {
          continue;
        }
        if (first == Clusters::kNone) {
          first = cluster;
          is_other = std::exchange(first_readers_[i], first) != first;
        } else if (is_other || is_new(kind, first) || is_new(kind, cluster)) {
          try_merge(first, cluster, true);
        }
      }
    }
  }

  // Kernels with nothing in common but their space, when what they move stays in a core's cache: then the
  // launch is a good part of their time. Larger ones gain nothing and would compete for cache and prefetch
  // streams.
  void fuse_independent(const Sweep& kind) {
    std::map<std::vector<std::int64_t>, std::vector<std::size_t>> by_shape;
    for (std::size_t cluster = 0; cluster < clusters_.size(); ++cluster) {
      if (clusters_.is_kernel(cluster)) {
        const ir::Shape& shape = clusters_.space(cluster).shape;
        by_shape[{shape.begin(), shape.end()}].push_back(cluster);
      }
    }
    for (std::size_t a = 0; a < clusters_.size(); ++a) {
      if (!clusters_.is_kernel(a)) {
        continue;
      }
      const ir::Shape& shape = clusters_.space(a).shape;
      const std::vector<std::size_t>& alike = by_shape[{shape.begin(), shape.end()}];
      std::vector<bool> distant;
      std::size_t known_at = 0;  // merges
      for (auto b = std::ranges::upper_bound(alike, a); b != alike.end(); ++b) {
        if (!clusters_.is_kernel(*b) || !may_share_a_launch(kind, a, *b)) {
          continue;
        }
        if (distant.empty() || known_at != clusters_.merges()) {
          distant = clusters_.distant(a);
          known_at = clusters_.merges();
        }
        if (!distant[*b]) {
          try_merge(a, *b, false);
        }
      }
    }
  }

  // What can be said of a pair without trying it.
  bool may_share_a_launch(const Sweep& kind, std::size_t a, std::size_t b) const {
    const auto& axes_a = clusters_.space(a).reduced_axes;
    const auto& axes_b = clusters_.space(b).reduced_axes;
    std::int64_t bytes = clusters_.bytes(a);
    add_saturated(bytes, clusters_.bytes(b));
    return bytes <= options_.private_cache_bytes && (is_new(kind, a) || is_new(kind, b)) &&
           (axes_a.empty() || axes_b.empty() || axes_a == axes_b) &&
           clusters_.members(a).size() + clusters_.members(b).size() <= options_.max_nodes;
  }

  const Graph& graph_;
  const FuseOptions& options_;
  Clusters& clusters_;
  std::vector<std::size_t> first_readers_;  // by value
  Sweep vertical_;
  Sweep readers_;
  Sweep independent_;
};

std::int64_t unfused_bytes(const Graph& graph, const std::vector<Operand>& readings, NodeId id) {
  std::int64_t bytes = ir::size_bytes(graph.type(id));
  std::set<NodeId> seen;
  for (const NodeId operand : graph.node(id).operands) {
    if (seen.insert(operand).second) {
      add_saturated(bytes, read_bytes(graph, readings[ir::index(operand)]));
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
    add_saturated(group.bytes_fused, read_bytes(graph, readings[ir::index(input)]));
  }
  group.outputs = border.outputs;
  for (const NodeId output : border.outputs) {
    add_saturated(group.bytes_fused, ir::size_bytes(graph.type(output)));
  }
  group.space = clusters.space(cluster).shape;
  group.reduced_axes = clusters.space(cluster).reduced_axes;
  for (const NodeId id : group.nodes) {
    add_saturated(group.bytes_unfused, unfused_bytes(graph, readings, id));
    add_saturated(group.flops, ir::flops(graph, id));
  }
  return group;
}

}  // namespace

FusionPlan fuse(const Graph& graph, const FuseOptions& options) {
  const std::vector<Operand> readings = resolve_views(graph);
  Clusters clusters(graph, options, readings);
  Grower(graph, options, clusters).run();

  FusionPlan plan;
  for (const std::size_t cluster : clusters.order()) {
    const NodeId last = clusters.members(cluster).back();
    if (clusters.is_kernel(cluster)) {
      plan.steps.push_back({.kind = PlanStep::Kind::Kernel, .node = last, .group = plan.groups.size()});
      plan.groups.push_back(make_group(graph, readings, clusters, cluster));
    } else {
      plan.steps.push_back({.kind = clusters.is_reading(last) ? PlanStep::Kind::View : PlanStep::Kind::Op,
                            .node = last,
                            .group = 0});
    }
  }
  plan.refusals = explain_refusals(graph, clusters);
  return plan;
}

}  // namespace foretell::passes
