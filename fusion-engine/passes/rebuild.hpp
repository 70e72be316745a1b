// SPDX-License-Identifier: Apache-2.0
// The way of every pass: a new graph, node by node in the order of the old one, then the outputs.
#pragma once

#include <utility>
#include <vector>

#include "fusion-engine/ir/graph.hpp"
#include "src/base/check.hpp"

namespace foretell::passes {

// `make(into, node, operands)` adds what the old graph's `node` becomes, of the same type, and gives its id;
// `operands` are what the node's became. Inputs are copied, all of them, in order; outputs and states keep
// their names. Only nodes that `wanted` names are made: they include all operands of those they name.
template <class Make>
ir::Graph rebuild(const ir::Graph& graph, const std::vector<bool>& wanted, Make make) {
  ir::Graph into(graph.name());
  std::vector<ir::NodeId> became(graph.size());
  std::vector<ir::NodeId> operands;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const ir::Node& node = graph.nodes()[i];
    operands.clear();
    if (node.op != ir::OpKind::Input && !wanted[i]) {
      continue;
    }
    for (const ir::NodeId operand : node.operands) {
      operands.push_back(became[index(operand)]);
    }
    became[i] = node.op == ir::OpKind::Input ? into.add(node.op, operands, node.attributes).value()
                                             : make(into, node, operands);
    FORETELL_CHECK(into.type(became[i]) == node.type);
  }
  for (const ir::Output& output : graph.outputs()) {
    const auto state = output.state_of ? std::optional(became[index(*output.state_of)]) : std::nullopt;
    FORETELL_CHECK(into.output(output.name, became[index(output.node)], state).has_value());
  }
  return into;
}
template <class Make>
ir::Graph rebuild(const ir::Graph& graph, Make make) {
  return rebuild(graph, std::vector<bool>(graph.size(), true), std::move(make));
}

// The same op on what its operands became.
inline ir::NodeId copy_node(ir::Graph& into, const ir::Node& node, const std::vector<ir::NodeId>& operands) {
  return into.add(node.op, operands, node.attributes).value();
}

}  // namespace foretell::passes
