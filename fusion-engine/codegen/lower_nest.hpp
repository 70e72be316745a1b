// SPDX-License-Identifier: Apache-2.0
// The loops of a fusion group: its space with axes joined where every operand allows it, and the strides of
// all that is read and written along them.
#pragma once

#include <cstdint>
#include <map>
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
  // outer | reduced | inner, each part possibly empty; without reduced axes all are outer.
  std::vector<NestDim> dims;
  std::size_t outer = 0;
  std::size_t reduced = 0;
  std::size_t inner() const { return dims.size() - outer - reduced; }

  std::vector<NestAccess> accesses;
  // Access of the value an op of the group reads from outside it (or from a source), by (value, reader).
  std::map<std::pair<ir::NodeId, ir::NodeId>, std::size_t> reads;
  std::map<ir::NodeId, std::size_t> writes;  // of the group's outputs
};

// Every part that the schedule needs has a dimension, if need be of extent 1.
Nest build_nest(const ir::Graph& graph, const passes::FusionGroup& group);

}  // namespace foretell::codegen
