// SPDX-License-Identifier: Apache-2.0
// Which results may be written over memory that their step reads, or to the buffer of a state.
#pragma once

#include <span>
#include <vector>

#include "fusion-engine/codegen/kernel.hpp"
#include "fusion-engine/ir/graph.hpp"
#include "fusion-engine/passes/fusion_plan.hpp"

namespace foretell::runtime::cpu {

class InPlace {
 public:
  // All outlive it. `kernels` are those of the plan's groups.
  InPlace(const ir::Graph& graph, const passes::FusionPlan& plan,
          std::span<const codegen::KernelSource> kernels);

  // Whether the step reads memory of `buffer`, a node with memory of its own.
  bool reads(const passes::PlanStep& step, ir::NodeId buffer) const;
  // Whether `result`, which the step makes, may be written to the memory of `buffer`: the step does not read
  // it, or it reads exactly the element that it then writes. So does
  //  - an elementwise op whose operands there are the whole buffer, of the result's shape and element size;
  //  - scatter_add or index_copy, of its first operand;
  //  - a kernel of one stage without reduced axes whose values there are as large as the iteration space, if
  //    all that reads them is part of computing the result (a generated body may store one output before it
  //    loads for the next).
  bool may_write_over(const passes::PlanStep& step, ir::NodeId result, ir::NodeId buffer) const;

  // By output of the graph: whether its step may write to the state's buffer. It is the first output of its
  // node that updates a state; no other output shows the old value, and no later step reads it; and the step
  // may write over it.
  std::vector<bool> states() const;

 private:
  ir::NodeId buffer_of(ir::NodeId value) const { return readings_[ir::index(value)].buffer; }
  bool same_elements(ir::NodeId result, ir::NodeId buffer) const;
  bool op_may(ir::NodeId op, ir::NodeId buffer) const;
  bool kernel_may(std::size_t index, ir::NodeId result, ir::NodeId buffer) const;
  bool state_may(const ir::Output& output) const;
  bool is_shown(ir::NodeId state) const;
  std::vector<bool> computed_with(const passes::FusionGroup& group, ir::NodeId output) const;

  const ir::Graph& graph_;
  const passes::FusionPlan& plan_;
  std::span<const codegen::KernelSource> kernels_;
  std::vector<passes::Operand> readings_;
};

}  // namespace foretell::runtime::cpu
