// SPDX-License-Identifier: Apache-2.0
// What is to be executed: fused kernels and single ops, in order.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fusion-engine/ir/graph.hpp"

namespace foretell::passes {

// A value as a kernel reads it: memory of the dense node `buffer`, seen through `offset` and `strides`
// (elements) in the shape of `value`. For a value that is dense itself the two nodes are the same, and
// strides are dense.
struct Operand {
  ir::NodeId value{};
  ir::NodeId buffer{};
  std::int64_t offset = 0;
  ir::Dims strides;
};

// Ops that become one kernel: one iteration space, of which `reduced_axes` (adjacent ascending, may be empty)
// are walked inside a unit of parallel work. Every node's value has the shape of the space, one that
// broadcasts to it, or that of the space with the reduced axes dropped or kept as 1.
struct FusionGroup {
  std::vector<ir::NodeId> nodes;    // ascending
  std::vector<Operand> inputs;      // each value once, in order of first use
  std::vector<ir::NodeId> outputs;  // values needed outside, ascending; dense
  ir::Shape space;
  std::vector<std::int64_t> reduced_axes;
  std::int64_t bytes_fused = 0;    // inputs read once and outputs written once
  std::int64_t bytes_unfused = 0;  // the same ops one by one: operands read, result written, each
  std::int64_t flops = 0;
};

struct PlanStep {
  enum class Kind : std::uint8_t {
    View,    // no launch: `node` is another reading of memory
    Op,      // `node` runs as the eager executor runs it (matmul, gather, a layout copy, ...); its result is
             // dense
    Kernel,  // groups[group]
  };
  Kind kind = Kind::Op;
  ir::NodeId node{};
  std::size_t group = 0;
};

// Why two neighbours are not in one kernel. The sentence names both ops.
struct Refusal {
  ir::NodeId producer{};
  ir::NodeId consumer{};
  std::string_view reason;  // an id: "library-op", "reduction-shape", "view-between", "cycle", "traffic", ...
  std::string sentence;
};

struct FusionPlan {
  std::vector<FusionGroup> groups;
  std::vector<PlanStep> steps;  // in an order that data flow allows; inputs and constants are no steps
  std::vector<Refusal> refusals;
};

}  // namespace foretell::passes
