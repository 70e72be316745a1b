// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/passes/fuse_traffic.hpp"

#include <algorithm>
#include <set>

#include "src/base/saturate.hpp"

namespace foretell::passes {
namespace {

using ir::Graph;
using ir::NodeId;

// A row may take 1 / kRowShareOfCache of the private cache. Assumed, not measured: a half is left to the
// lines that the prefetcher fetches of the next row, as many as this one has.
constexpr std::int64_t kRowShareOfCache = 2;
// Columns that a kernel which reduces leading axes takes at a time, at the least: a cache line is 64 bytes,
// 16 of f32.
constexpr std::int64_t kNarrowTile = 16;

std::int64_t extent_product(const ir::Shape& shape, std::int64_t first, std::int64_t last) {
  std::int64_t result = 1;
  for (std::int64_t axis = first; axis < last; ++axis) {
    result = saturated_product(result, shape[static_cast<std::size_t>(axis)]);
  }
  return result;
}

// Which inputs each walk reads: what a walk needs it computes anew from them, except for results of walks
// before.
class Walks {
 public:
  Walks(const Graph& graph, const std::vector<NodeId>& members, const IterationSpace& space,
        const Border& border)
      : graph_(graph), members_(members), space_(space), border_(border) {}

  std::set<NodeId> inputs_of(int walk) {
    read_.clear();
    seen_.clear();
    for (std::size_t i = 0; i < members_.size(); ++i) {
      const ir::Node& node = graph_.node(members_[i]);
      const Placement& placement = space_.placements[i];
      if (ir::is_reduction(node.op)) {
        const bool walks_twice = node.op == ir::OpKind::Var;
        if (placement.level == walk + 1 || (walks_twice && placement.level == walk + 2)) {
          visit(node.operands[0]);
        }
      } else if (placement.extent == Placement::Extent::Full && placement.level == walk &&
                 std::ranges::binary_search(border_.outputs, members_[i])) {
        visit(members_[i]);
      }
    }
    return read_;
  }

 private:
  void visit(NodeId id) {
    if (!seen_.insert(id).second) {
      return;
    }
    const auto it = std::ranges::lower_bound(members_, id);
    if (it == members_.end() || *it != id) {
      read_.insert(id);
      return;
    }
    const auto member = static_cast<std::size_t>(it - members_.begin());
    if (!ir::is_reduction(graph_.node(id).op) &&
        space_.placements[member].extent != Placement::Extent::Reduced) {
      std::ranges::for_each(graph_.node(id).operands, [&](NodeId operand) { visit(operand); });
    }
  }

  const Graph& graph_;
  const std::vector<NodeId>& members_;
  const IterationSpace& space_;
  const Border& border_;
  std::set<NodeId> read_;
  std::set<NodeId> seen_;
};

// Bytes along the reduced axes that one unit visits.
std::int64_t row_bytes(const Graph& graph, const IterationSpace& space, const Border& border) {
  std::int64_t element_bytes = 0;
  const auto add = [&](NodeId id) {
    element_bytes += static_cast<std::int64_t>(ir::size_bytes(graph.type(id).dtype));
  };
  std::ranges::for_each(border.inputs, add);
  std::ranges::for_each(border.outputs, add);
  const auto& axes = space.reduced_axes;
  const auto rank = static_cast<std::int64_t>(space.shape.rank());
  const std::int64_t inner = extent_product(space.shape, axes.back() + 1, rank);
  return saturated_product(extent_product(space.shape, axes.front(), axes.back() + 1),
                           std::min(inner, kNarrowTile) * element_bytes);
}

}  // namespace

std::int64_t read_bytes(const Graph& graph, const Operand& reading) {
  const std::int64_t seen = ir::elements(graph.type(reading.value).shape);
  const std::int64_t stored = ir::elements(graph.type(reading.buffer).shape);
  return std::min(seen, stored) * static_cast<std::int64_t>(ir::size_bytes(graph.type(reading.value).dtype));
}

std::int64_t count_traffic(const Graph& graph, const std::vector<Operand>& readings,
                           const std::vector<NodeId>& members, const IterationSpace& space,
                           const Border& border, std::int64_t private_cache_bytes) {
  std::int64_t bytes = 0;
  for (const NodeId output : border.outputs) {
    add_saturated(bytes, ir::size_bytes(graph.type(output)));
  }
  for (const NodeId input : border.inputs) {
    add_saturated(bytes, read_bytes(graph, readings[ir::index(input)]));
  }
  const bool several_walks = space.walks > 1 && !space.reduced_axes.empty();
  if (!several_walks || row_bytes(graph, space, border) <= private_cache_bytes / kRowShareOfCache) {
    return bytes;
  }
  Walks walks(graph, members, space, border);
  std::set<NodeId> before;
  for (int walk = 0; walk < space.walks; ++walk) {
    for (const NodeId input : walks.inputs_of(walk)) {
      const bool again = !before.insert(input).second;
      const bool crosses = std::ranges::find(border.inputs, input) != border.inputs.end();
      add_saturated(bytes, again && crosses ? read_bytes(graph, readings[ir::index(input)]) : 0);
    }
  }
  return bytes;
}

}  // namespace foretell::passes
