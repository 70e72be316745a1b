// SPDX-License-Identifier: Apache-2.0
// The loops of a fusion group: its space with axes joined where every operand allows it, and the strides of
// all that is read and written along them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "fusion-engine/ir/graph.hpp"
#include "fusion-engine/passes/fusion_plan.hpp"
#include "fusion-engine/passes/iteration_space.hpp"

namespace foretell::codegen {

struct NestDim {
  std::string name;  // "i0"
  std::int64_t extent = 1;
};

// A value from memory, from a source, or on its way to memory, as the loops walk it.
struct NestAccess {
  ir::NodeId value{};
  std::int64_t offset = 0;
  std::vector<std::int64_t> strides;  // by NestDim
  friend bool operator==(const NestAccess&, const NestAccess&) = default;
};

struct Nest {
  passes::IterationSpace space;
  std::span<const ir::NodeId> nodes;  // of the group, which outlives the nest
  // outer | reduced | inner, each part possibly empty; without reduced axes all are outer.
  std::vector<NestDim> dims;
  std::size_t outer = 0;
  std::size_t reduced = 0;
  std::size_t inner() const { return dims.size() - outer - reduced; }
  // The position of the node in `nodes`; nothing if it is no member of the group.
  std::optional<std::size_t> member(ir::NodeId id) const;
  const passes::Placement& placement(ir::NodeId member) const;

  std::vector<NestAccess> accesses;
  // Access of the value an op of the group reads from outside it (or from a source), by (value, reader).
  std::map<std::pair<ir::NodeId, ir::NodeId>, std::size_t> reads;
  std::map<ir::NodeId, std::size_t> writes;  // of the group's outputs
};

// Product of the extents of dims [first, last).
std::int64_t extent_product(const Nest& nest, std::size_t first, std::size_t last);

// Arithmetic that an element of the space takes to get from memory and reductions to the value of the node,
// in flops: 0 for values that are no members, of fewer elements, or in `seen`, to which it adds.
int flops_behind(const ir::Graph& graph, const Nest& nest, ir::NodeId id, std::set<ir::NodeId>& seen);

// Every part that the schedule needs has a dimension, if need be of extent 1.
Nest build_nest(const ir::Graph& graph, const passes::FusionGroup& group);

}  // namespace foretell::codegen
