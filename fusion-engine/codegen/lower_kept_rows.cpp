// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/codegen/lower_kept_rows.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace foretell::codegen {
namespace {

using ir::Category;
using ir::Graph;
using ir::NodeId;
using passes::FusionGroup;
using passes::Placement;

// A load from the first-level cache, and the store before it, in flops.
constexpr int kWorthKeeping = 8;
// All kept rows together: most of a first-level cache of 48 KiB, where the walks find them again.
constexpr std::int64_t kMostBytes = 32 << 10;

class Chooser {
 public:
  Chooser(const Graph& graph, const FusionGroup& group, const Nest& nest)
      : graph_(graph), group_(group), nest_(nest) {}

  std::vector<KeptRow> run() {
    std::map<NodeId, int> first;  // walk that computes the value
    std::vector<KeptRow> kept;
    for (int walk = 0; walk < nest_.space.walks; ++walk) {
      asked_.clear();
      for (std::size_t i = 0; i < group_.nodes.size(); ++i) {
        add_roots(i, walk);
      }
      for (const NodeId id : asked_) {
        const auto known = first.find(id);
        if (known == first.end() || cost(id) < kWorthKeeping || is_kept(kept, id)) {
          continue;
        }
        // Read by what this walk computes and the first one did not, or by its reductions and outputs
        // themselves.
        if (roots_.contains(id) || has_new_reader(id, first)) {
          kept.push_back({.value = id, .walk = known->second});
        }
      }
      for (const NodeId id : asked_) {
        first.emplace(id, walk);
      }
      roots_.clear();
    }
    return kept;
  }

 private:
  static bool is_kept(const std::vector<KeptRow>& kept, NodeId id) {
    return std::ranges::find(kept, id, &KeptRow::value) != kept.end();
  }

  void add_roots(std::size_t member, int walk) {
    const NodeId id = group_.nodes[member];
    const Placement& placement = nest_.space.placements[member];
    if (is_reduction(id)) {
      const bool twice = graph_.node(id).op == ir::OpKind::Var;
      if (placement.level == walk + 1 || (twice && placement.level == walk + 2)) {
        roots_.insert(graph_.node(id).operands[0]);
        visit(graph_.node(id).operands[0]);
      }
    } else if (placement.extent == Placement::Extent::Full && placement.level == walk &&
               std::ranges::binary_search(group_.outputs, id)) {
      roots_.insert(id);
      visit(id);
    }
  }

  void visit(NodeId id) {
    if (!is_row(id) || !asked_.insert(id).second) {
      return;
    }
    for (const NodeId operand : graph_.node(id).operands) {
      visit(operand);
    }
  }

  bool is_reduction(NodeId id) const { return ir::category(graph_.node(id).op) == Category::Reduction; }

  // Computed per element of a row.
  bool is_row(NodeId id) const {
    const auto it = std::ranges::lower_bound(group_.nodes, id);
    if (it == group_.nodes.end() || *it != id || is_reduction(id)) {
      return false;
    }
    const auto member = static_cast<std::size_t>(it - group_.nodes.begin());
    const Category category = ir::category(graph_.node(id).op);
    return nest_.space.placements[member].extent == Placement::Extent::Full && category != Category::Source;
  }

  bool has_new_reader(NodeId id, const std::map<NodeId, int>& first) const {
    return std::ranges::any_of(asked_, [&](NodeId reader) {
      const auto& operands = graph_.node(reader).operands;
      return !first.contains(reader) && std::ranges::find(operands, id) != operands.end();
    });
  }

  int cost(NodeId id) {
    std::set<NodeId> seen;
    return cost(id, seen);
  }
  int cost(NodeId id, std::set<NodeId>& seen) {
    if (!is_row(id) || !seen.insert(id).second) {
      return 0;
    }
    int flops = ir::info(graph_.node(id).op).flops;
    for (const NodeId operand : graph_.node(id).operands) {
      flops += cost(operand, seen);
    }
    return flops;
  }

  const Graph& graph_;
  const FusionGroup& group_;
  const Nest& nest_;
  std::set<NodeId> asked_;  // by the walk at hand
  std::set<NodeId> roots_;
};

}  // namespace

std::vector<KeptRow> choose_kept_rows(const Graph& graph, const FusionGroup& group, const Nest& nest,
                                      std::int64_t row_elements) {
  std::vector<KeptRow> kept = Chooser(graph, group, nest).run();
  std::int64_t bytes = 0;
  for (const KeptRow& row : kept) {
    const ir::DType dtype = ir::compute_type(graph.type(row.value).dtype);
    bytes += row_elements * static_cast<std::int64_t>(ir::size_bytes(dtype));
  }
  return bytes <= kMostBytes ? kept : std::vector<KeptRow>{};
}

}  // namespace foretell::codegen
