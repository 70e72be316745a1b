// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/runtime/cpu/eager_schedule.hpp"

#include <algorithm>

#include "fusion-engine/passes/views.hpp"

namespace foretell::runtime::cpu {
namespace {

using ir::NodeId;

class Builder {
 public:
  explicit Builder(const ir::Graph& graph)
      : graph_(graph),
        live_(ir::live_nodes(graph)),
        last_reader_(graph.size(), 0),
        written_to_(graph.size()) {
    for (const passes::Operand& reading : passes::resolve_views(graph)) {
      buffer_.push_back(ir::index(reading.buffer));
    }
    for (std::size_t id = 0; id < graph.size(); ++id) {
      for (const NodeId operand : live_[id] ? graph.nodes()[id].operands : std::vector<NodeId>{}) {
        last_reader_[buffer_[ir::index(operand)]] = id;
      }
    }
  }

  EagerSchedule build() {
    place_outputs();
    for (std::size_t id = 0; id < graph_.size(); ++id) {
      const ir::Node& node = graph_.nodes()[id];
      if (!live_[id] || node.op == ir::OpKind::Input) {
        continue;
      }
      if (node.op == ir::OpKind::Constant) {
        schedule_.constants.push_back(id);
      } else {
        add_op(node, id);
      }
    }
    return std::move(schedule_);
  }

 private:
  bool has_own_memory(std::size_t id) const {
    const ir::OpKind op = graph_.nodes()[id].op;
    return buffer_[id] == id && op != ir::OpKind::Input && op != ir::OpKind::Constant;
  }

  bool is_shown(std::size_t buffer) const {
    return std::ranges::any_of(graph_.outputs(), [&](const ir::Output& output) {
      return buffer_[ir::index(output.node)] == buffer;
    });
  }

  bool may_write_state(std::size_t id, NodeId state) const {
    const std::size_t buffer = ir::index(state);
    if (!has_own_memory(id) || written_to_[id] || is_shown(buffer) || last_reader_[buffer] > id) {
      return false;
    }
    const ir::Node& node = graph_.nodes()[id];
    for (std::size_t i = 0; i < node.operands.size(); ++i) {
      const bool at_its_place = ir::is_elementwise(node.op) || (ir::updates_first_operand(node.op) && i == 0);
      if (buffer_[ir::index(node.operands[i])] == buffer && !(node.operands[i] == state && at_its_place)) {
        return false;
      }
    }
    return true;
  }

  std::size_t position_of(NodeId input) const {
    return static_cast<std::size_t>(std::ranges::find(graph_.inputs(), input) - graph_.inputs().begin());
  }

  // The node whose memory holds the value in the end: of what is written to a state, the state.
  std::size_t memory_of(NodeId value) const {
    const std::size_t buffer = buffer_[ir::index(value)];
    return written_to_[buffer] ? ir::index(*written_to_[buffer]) : buffer;
  }

  void place_outputs() {
    for (const ir::Output& output : graph_.outputs()) {
      EagerOutput placed{.id = ir::index(output.node)};
      if (output.state_of) {
        placed.state = position_of(*output.state_of);
        if (may_write_state(placed.id, *output.state_of)) {
          written_to_[placed.id] = output.state_of;
        } else {
          placed.copy_to_state = output.node != *output.state_of;  // else it is there already
        }
      }
      schedule_.outputs.push_back(placed);
    }
    std::vector<bool> overwritten(graph_.size(), false);
    for (std::size_t i = 0; i < schedule_.outputs.size(); ++i) {
      if (schedule_.outputs[i].copy_to_state) {
        overwritten[ir::index(*graph_.outputs()[i].state_of)] = true;
      }
    }
    for (std::size_t i = 0; i < schedule_.outputs.size(); ++i) {
      EagerOutput& output = schedule_.outputs[i];
      const bool in_place = output.state && !output.copy_to_state;
      output.put_aside = !in_place && overwritten[memory_of(graph_.outputs()[i].node)];
    }
    for (std::size_t id = 0; id < graph_.size(); ++id) {
      if (has_own_memory(id) && !written_to_[id] && is_shown(id)) {
        schedule_.kept.push_back(id);
      }
    }
  }

  void add_op(const ir::Node& node, std::size_t id) {
    EagerOp op{.node = &node,
               .id = id,
               .first_operand = schedule_.operands.size(),
               .operand_count = node.operands.size(),
               .first_release = schedule_.releases.size()};
    for (const NodeId operand : node.operands) {
      schedule_.operands.push_back(ir::index(operand));
      const std::size_t buffer = buffer_[ir::index(operand)];
      const auto released = std::span(schedule_.releases).subspan(op.first_release);
      if (last_reader_[buffer] == id && has_own_memory(buffer) && !written_to_[buffer] && !is_shown(buffer) &&
          std::ranges::find(released, buffer) == released.end()) {
        schedule_.releases.push_back(buffer);
      }
    }
    op.release_count = schedule_.releases.size() - op.first_release;
    if (written_to_[id]) {
      op.destination = position_of(*written_to_[id]);
    }
    schedule_.ops.push_back(op);
  }

  const ir::Graph& graph_;
  std::vector<bool> live_;
  std::vector<std::size_t> buffer_;                // by node: the node whose memory it reads
  std::vector<std::size_t> last_reader_;           // by such node: the last live one that reads it
  std::vector<std::optional<NodeId>> written_to_;  // by node: the state it is written to
  EagerSchedule schedule_;
};

}  // namespace

EagerSchedule make_eager_schedule(const ir::Graph& graph) { return Builder(graph).build(); }

}  // namespace foretell::runtime::cpu
