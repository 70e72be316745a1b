// SPDX-License-Identifier: Apache-2.0
// The way of every pass: a new graph with the same inputs and outputs (ir/copy_nodes.hpp).
#pragma once

#include <utility>
#include <vector>

#include "fusion-engine/ir/copy_nodes.hpp"
#include "fusion-engine/ir/graph.hpp"
#include "src/base/check.hpp"

namespace foretell::passes {

// `make(into, node, operands)` adds what the old graph's `node` becomes, of the same type, and gives its id;
// `operands` are what the node's became. Inputs are copied, all of them, in order; outputs and states keep
// their names. Only nodes that `wanted` names are made: they include all operands of those they name.
template <class Make>
ir::Graph rebuild(const ir::Graph& graph, std::vector<bool> wanted, Make make) {
  ir::Graph into(graph.name());
  for (const ir::NodeId input : graph.inputs()) {
    wanted[ir::index(input)] = true;
  }
  const auto make_checked = [&](ir::NodeId id, const std::vector<ir::NodeId>& operands) {
    const ir::Node& node = graph.node(id);
    const ir::NodeId made = node.op == ir::OpKind::Input
                                ? into.add(node.op, operands, node.attributes).value()
                                : make(into, node, operands);
    FORETELL_CHECK(into.type(made) == node.type);
    return made;
  };
  ir::copy_outputs(into, graph.outputs(), ir::copy_nodes(graph, wanted, make_checked));
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
