// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/runtime/cpu/in_place.hpp"

#include <algorithm>
#include <ranges>

#include "fusion-engine/passes/views.hpp"

namespace foretell::runtime::cpu {

using ir::NodeId;
using passes::FusionGroup;
using passes::Operand;
using passes::PlanStep;

InPlace::InPlace(const ir::Graph& graph, const passes::FusionPlan& plan,
                 std::span<const codegen::KernelSource> kernels)
    : graph_(graph), plan_(plan), kernels_(kernels), readings_(passes::resolve_views(graph)) {}

bool InPlace::reads(const PlanStep& step, NodeId buffer) const {
  if (step.kind == PlanStep::Kind::Kernel) {
    return std::ranges::any_of(plan_.groups[step.group].inputs,
                               [&](const Operand& operand) { return operand.buffer == buffer; });
  }
  // A view by itself reads nothing; who reads it is asked for its buffer.
  return step.kind == PlanStep::Kind::Op &&
         std::ranges::any_of(graph_.node(step.node).operands,
                             [&](NodeId operand) { return buffer_of(operand) == buffer; });
}

bool InPlace::may_write_over(const PlanStep& step, NodeId result, NodeId buffer) const {
  if (!reads(step, buffer)) {
    return true;
  }
  return step.kind == PlanStep::Kind::Kernel ? kernel_may(step.group, result, buffer)
                                             : op_may(step.node, buffer);
}

bool InPlace::same_elements(NodeId result, NodeId buffer) const {
  const ir::Type& to = graph_.type(result);
  const ir::Type& from = graph_.type(buffer);
  return to.shape == from.shape && ir::size_bytes(to.dtype) == ir::size_bytes(from.dtype);
}

bool InPlace::op_may(NodeId op, NodeId buffer) const {
  const ir::Node& node = graph_.node(op);
  const auto is_elsewhere = [&](NodeId operand) { return buffer_of(operand) != buffer; };
  if (ir::updates_first_operand(node.op)) {
    return node.operands[0] == buffer &&
           std::ranges::all_of(node.operands | std::views::drop(1), is_elsewhere);
  }
  return ir::is_elementwise(node.op) && same_elements(op, buffer) &&
         std::ranges::all_of(node.operands,
                             [&](NodeId operand) { return operand == buffer || is_elsewhere(operand); });
}

bool InPlace::kernel_may(std::size_t index, NodeId result, NodeId buffer) const {
  const FusionGroup& group = plan_.groups[index];
  if (kernels_[index].stages.size() != 1 || !group.reduced_axes.empty() ||
      ir::elements(graph_.type(result).shape) != ir::elements(group.space) ||
      !same_elements(result, buffer)) {
    return false;
  }
  const bool only_whole = std::ranges::all_of(group.inputs, [&](const Operand& operand) {
    return operand.buffer != buffer || operand.value == buffer;
  });
  const std::vector<bool> before = computed_with(group, result);
  const bool only_before = std::ranges::all_of(group.nodes, [&](NodeId id) {
    return before[ir::index(id)] ||
           std::ranges::find(graph_.node(id).operands, buffer) == graph_.node(id).operands.end();
  });
  return only_whole && only_before;
}

// The group's nodes that the output is computed from, itself among them.
std::vector<bool> InPlace::computed_with(const FusionGroup& group, NodeId output) const {
  std::vector<bool> needed(graph_.size(), false);
  needed[ir::index(output)] = true;
  for (const NodeId id : group.nodes | std::views::reverse) {
    if (needed[ir::index(id)]) {
      for (const NodeId operand : graph_.node(id).operands) {
        needed[ir::index(operand)] = true;
      }
    }
  }
  return needed;
}

bool InPlace::is_shown(NodeId state) const {
  return std::ranges::any_of(graph_.outputs(),
                             [&](const ir::Output& output) { return buffer_of(output.node) == state; });
}

bool InPlace::state_may(const ir::Output& output) const {
  const NodeId state = *output.state_of;
  const auto step = std::ranges::find_if(plan_.steps, [&](const PlanStep& candidate) {
    return candidate.kind == PlanStep::Kind::Kernel
               ? std::ranges::find(plan_.groups[candidate.group].outputs, output.node) !=
                     plan_.groups[candidate.group].outputs.end()
               : candidate.kind == PlanStep::Kind::Op && candidate.node == output.node;
  });
  return step != plan_.steps.end() && !is_shown(state) &&
         std::none_of(step + 1, plan_.steps.end(),
                      [&](const PlanStep& later) { return reads(later, state); }) &&
         may_write_over(*step, output.node, state);
}

std::vector<bool> InPlace::states() const {
  std::vector<bool> result;
  std::vector<bool> placed(graph_.size(), false);
  for (const ir::Output& output : graph_.outputs()) {
    const std::size_t node = ir::index(output.node);
    result.push_back(output.state_of && !placed[node] && state_may(output));
    placed[node] = placed[node] || result.back();
  }
  return result;
}

}  // namespace foretell::runtime::cpu
