// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/ir/verify.hpp"

#include <fmt/format.h>

#include "src/base/text.hpp"

namespace foretell::ir {
namespace {

std::string describe(const Graph& graph, std::size_t i) {
  return fmt::format("node %{} ({})", i, to_string(graph.nodes()[i].op));
}

// Built anew, node by node: an equal node would get the id of the first.
Result<void> verify_node(const Graph& graph, std::size_t i, Graph& again) {
  const Node& node = graph.nodes()[i];
  for (const NodeId operand : node.operands) {
    if (index(operand) >= i) {
      return fail(ErrorCode::BadInput, describe(graph, i),
                  fmt::format("expected operands before the node, found %{}", index(operand)));
    }
  }
  const Result<NodeId> made = again.add(node.op, node.operands, node.attributes);
  if (!made.has_value()) {
    return fail(made.error().code, describe(graph, i), made.error().message);
  }
  if (index(*made) != i) {
    return fail(ErrorCode::BadInput, describe(graph, i), fmt::format("is equal to %{}", index(*made)));
  }
  if (again.node(*made).type != node.type) {
    return fail(
        ErrorCode::BadInput, describe(graph, i),
        fmt::format("expected {}, found {}", to_string(again.node(*made).type), to_string(node.type)));
  }
  if (again.node(*made).attributes != node.attributes) {
    return fail(ErrorCode::BadInput, describe(graph, i), "the attributes are not in their stored form");
  }
  return {};
}

}  // namespace

Result<void> verify(const Graph& graph) {
  Graph again(graph.name());
  for (std::size_t i = 0; i < graph.size(); ++i) {
    FORETELL_RETURN_IF_ERROR(verify_node(graph, i, again));
  }
  for (const Output& output : graph.outputs()) {
    const std::string where = fmt::format("output '{}'", printable(output.name));
    if (index(output.node) >= graph.size() || (output.state_of && index(*output.state_of) >= graph.size())) {
      return fail(ErrorCode::BadInput, where, "names a node that the graph doesn't have");
    }
    if (const Result<void> made = again.output(output.name, output.node, output.state_of);
        !made.has_value()) {
      return fail(made.error().code, where, made.error().message);
    }
  }
  if (!(again == graph)) {
    return fail(ErrorCode::BadInput, "inputs", "the list of inputs isn't that of the nodes");
  }
  return {};
}

}  // namespace foretell::ir
