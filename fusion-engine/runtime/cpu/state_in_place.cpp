// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/runtime/cpu/state_in_place.hpp"

#include <algorithm>
#include <ranges>

#include "fusion-engine/passes/views.hpp"

namespace foretell::runtime::cpu {
namespace {

using ir::NodeId;
using passes::FusionGroup;
using passes::Operand;
using passes::PlanStep;

class Analysis {
 public:
  Analysis(const ir::Graph& graph, const passes::FusionPlan& plan,
           std::span<const codegen::KernelSource> kernels)
      : graph_(graph), plan_(plan), kernels_(kernels), readings_(passes::resolve_views(graph)) {}

  bool allowed(const ir::Output& output) const {
    const NodeId state = *output.state_of;
    const auto step = std::ranges::find_if(plan_.steps, [&](const PlanStep& candidate) {
      return candidate.kind == PlanStep::Kind::Kernel &&
             std::ranges::find(plan_.groups[candidate.group].outputs, output.node) !=
                 plan_.groups[candidate.group].outputs.end();
    });
    if (step == plan_.steps.end() || is_shown(state) ||
        std::any_of(step + 1, plan_.steps.end(),
                    [&](const PlanStep& later) { return reads(later, state); })) {
      return false;
    }
    return !reads(*step, state) || reads_same_element(step->group, output.node, state);
  }

 private:
  NodeId buffer_of(NodeId value) const { return readings_[ir::index(value)].buffer; }

  bool is_shown(NodeId state) const {
    return std::ranges::any_of(graph_.outputs(),
                               [&](const ir::Output& output) { return buffer_of(output.node) == state; });
  }

  bool reads(const PlanStep& step, NodeId state) const {
    if (step.kind == PlanStep::Kind::Kernel) {
      return std::ranges::any_of(plan_.groups[step.group].inputs,
                                 [&](const Operand& operand) { return operand.buffer == state; });
    }
    // A view by itself reads nothing; who reads it is asked for its buffer.
    return step.kind == PlanStep::Kind::Op &&
           std::ranges::any_of(graph_.node(step.node).operands,
                               [&](NodeId operand) { return buffer_of(operand) == state; });
  }

  bool reads_same_element(std::size_t index, NodeId output, NodeId state) const {
    const FusionGroup& group = plan_.groups[index];
    if (kernels_[index].stages.size() != 1 || !group.reduced_axes.empty() ||
        ir::elements(graph_.type(output).shape) != ir::elements(group.space)) {
      return false;
    }
    const bool only_whole = std::ranges::all_of(group.inputs, [&](const Operand& operand) {
      return operand.buffer != state || operand.value == state;
    });
    const std::vector<bool> before = computed_with(group, output);
    const bool only_before = std::ranges::all_of(group.nodes, [&](NodeId id) {
      return before[ir::index(id)] ||
             std::ranges::find(graph_.node(id).operands, state) == graph_.node(id).operands.end();
    });
    return only_whole && only_before;
  }

  // The group's nodes that the output is computed from, itself among them.
  std::vector<bool> computed_with(const FusionGroup& group, NodeId output) const {
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

  const ir::Graph& graph_;
  const passes::FusionPlan& plan_;
  std::span<const codegen::KernelSource> kernels_;
  std::vector<Operand> readings_;
};

}  // namespace

std::vector<bool> states_in_place(const ir::Graph& graph, const passes::FusionPlan& plan,
                                  std::span<const codegen::KernelSource> kernels) {
  const Analysis analysis(graph, plan, kernels);
  std::vector<bool> result;
  std::vector<bool> placed(graph.size(), false);
  for (const ir::Output& output : graph.outputs()) {
    const std::size_t node = ir::index(output.node);
    result.push_back(output.state_of && !placed[node] && analysis.allowed(output));
    placed[node] = placed[node] || result.back();
  }
  return result;
}

}  // namespace foretell::runtime::cpu
