// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/runtime/cpu/program_steps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

#include "fusion-engine/passes/views.hpp"
#include "fusion-engine/runtime/cpu/in_place.hpp"

namespace foretell::runtime::cpu {
namespace {

using ir::NodeId;
using passes::PlanStep;

constexpr std::size_t kNever = std::numeric_limits<std::size_t>::max();

std::string kernel_name(const ir::Graph& graph, const passes::FusionGroup& group, std::size_t index) {
  constexpr std::size_t kOpsNamed = 8;
  std::string ops;
  std::size_t named = 0;
  for (const NodeId id : group.nodes) {
    if (graph.node(id).op == ir::OpKind::Constant) {
      continue;
    }
    if (++named <= kOpsNamed) {
      ops += fmt::format("{}{}", ops.empty() ? "" : ", ", ir::to_string(graph.node(id).op));
    }
  }
  return fmt::format("fused{}({}{})", index, ops, named > kOpsNamed ? ", ..." : "");
}

class Resolver {
 public:
  explicit Resolver(const Program& program)
      : program_(program), graph_(program.graph), readings_(passes::resolve_views(program.graph)) {}

  ProgramSteps run() {
    for (std::size_t i = 0; i < graph_.size(); ++i) {
      result_.slot_bytes.push_back(
          static_cast<std::size_t>(ir::size_bytes(graph_.type(static_cast<NodeId>(i)))));
    }
    const std::vector<bool> in_place = InPlace(graph_, program_.plan, program_.kernels).states();
    for (std::size_t i = 0; i < in_place.size(); ++i) {
      if (in_place[i]) {
        const ir::Output& output = graph_.outputs()[i];
        result_.aliases.emplace_back(ir::index(output.node), ir::index(*output.state_of));
      }
    }
    for (const PlanStep& step : program_.plan.steps) {
      if (step.kind == PlanStep::Kind::Kernel) {
        add_kernel(step);
      } else if (step.kind == PlanStep::Kind::Op) {
        add_op(step);
      }
    }
    resolve_outputs(in_place);
    release_after_last_use();
    find_constants();
    return std::move(result_);
  }

 private:
  Reading reading_of(NodeId value) const {
    const passes::Operand& operand = readings_[ir::index(value)];
    const ir::Type& type = graph_.type(value);
    return {
        .slot = ir::index(operand.buffer),
        .offset_bytes = operand.offset * static_cast<std::int64_t>(ir::size_bytes(type.dtype)),
        .layout = {.data = nullptr, .dtype = type.dtype, .shape = type.shape, .strides = operand.strides}};
  }

  bool is_alias(std::size_t slot) const {
    return std::ranges::any_of(result_.aliases, [&](const auto& alias) { return alias.first == slot; });
  }

  void add_result(ProgramStep& step, NodeId node) const {
    step.results.push_back(ir::index(node));
    if (!is_alias(ir::index(node))) {
      step.allocates.push_back(ir::index(node));
    }
  }

  void add_kernel(const PlanStep& step) {
    const passes::FusionGroup& group = program_.plan.groups[step.group];
    ProgramStep fused{.planned = step, .name = kernel_name(graph_, group, step.group)};
    for (const passes::Operand& input : group.inputs) {
      fused.reads.push_back(ir::index(input.buffer));
    }
    for (const NodeId output : group.outputs) {
      add_result(fused, output);
      fused.bytes_written += ir::size_bytes(graph_.type(output));
    }
    fused.bytes_read = group.bytes_fused - fused.bytes_written;
    fused.scratch_bytes = static_cast<std::size_t>(program_.kernels[step.group].scratch_bytes);
    result_.steps.push_back(std::move(fused));
  }

  void add_op(const PlanStep& step) {
    const ir::Node& node = graph_.node(step.node);
    ProgramStep op{.planned = step, .name = std::string(ir::to_string(node.op))};
    for (const NodeId operand : node.operands) {
      op.operands.push_back(reading_of(operand));
      op.reads.push_back(op.operands.back().slot);
    }
    add_result(op, step.node);
    result_.steps.push_back(std::move(op));
  }

  // A slot that gets a dense copy of `from` at the end.
  Reading put_aside(const Reading& from) {
    Reading aside = from;
    aside.slot = result_.slot_bytes.size();
    aside.offset_bytes = 0;
    aside.layout.strides = ir::dense_strides(from.layout.shape);
    result_.slot_bytes.push_back(static_cast<std::size_t>(aside.layout.size_bytes()));
    result_.copies.push_back({.from = from, .to = aside.slot, .allocates = true});
    result_.kept.push_back(aside.slot);
    return aside;
  }

  void resolve_outputs(const std::vector<bool>& in_place) {
    std::set<std::size_t> updated;  // slots of states
    for (const ir::Output& output : graph_.outputs()) {
      if (output.state_of && output.node != *output.state_of) {
        updated.insert(ir::index(*output.state_of));
      }
    }
    std::vector<FinalCopy> updates;
    for (std::size_t i = 0; i < graph_.outputs().size(); ++i) {
      const ir::Output& output = graph_.outputs()[i];
      Reading value = reading_of(output.node);
      if (output.state_of && output.node == *output.state_of) {
        result_.outputs.push_back(value);
        continue;
      }
      if (updated.contains(value.slot)) {
        value = put_aside(value);
      }
      if (!output.state_of) {
        result_.outputs.push_back(value);
        continue;
      }
      result_.outputs.push_back(reading_of(*output.state_of));
      if (!in_place[i]) {
        updates.push_back({.from = value, .to = ir::index(*output.state_of)});
      }
    }
    result_.copies.insert(result_.copies.end(), updates.begin(), updates.end());
  }

  void release_after_last_use() {
    std::vector<std::size_t> last(result_.slot_bytes.size(), kNever);
    std::vector<bool> owned(result_.slot_bytes.size(), false);
    for (std::size_t i = 0; i < result_.steps.size(); ++i) {
      const ProgramStep& step = result_.steps[i];
      for (const std::size_t slot : step.reads) {
        last[slot] = i;
      }
      for (const std::size_t slot : step.allocates) {
        last[slot] = i;
        owned[slot] = true;
      }
    }
    std::set<std::size_t> kept;
    for (const Reading& output : result_.outputs) {
      kept.insert(output.slot);
    }
    for (const FinalCopy& copy : result_.copies) {
      kept.insert(copy.from.slot);
    }
    for (std::size_t slot = 0; slot < graph_.size(); ++slot) {
      if (!owned[slot]) {
        continue;
      }
      (kept.contains(slot) ? result_.kept : result_.steps[last[slot]].releases).push_back(slot);
    }
  }

  void find_constants() {
    std::set<std::size_t> slots;
    for (const ProgramStep& step : result_.steps) {
      slots.insert(step.reads.begin(), step.reads.end());
    }
    for (const Reading& output : result_.outputs) {
      slots.insert(output.slot);
    }
    for (const FinalCopy& copy : result_.copies) {
      slots.insert(copy.from.slot);
    }
    for (std::size_t i = 0; i < graph_.size(); ++i) {
      const auto id = static_cast<NodeId>(i);
      if (slots.contains(i) && graph_.node(id).op == ir::OpKind::Constant) {
        result_.constants.push_back(id);
      }
    }
  }

  const Program& program_;
  const ir::Graph& graph_;
  std::vector<passes::Operand> readings_;
  ProgramSteps result_;
};

}  // namespace

ProgramSteps resolve_steps(const Program& program) { return Resolver(program).run(); }

}  // namespace foretell::runtime::cpu
