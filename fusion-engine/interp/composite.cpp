// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "fusion-engine/interp/evaluate_node.hpp"
#include "fusion-engine/interp/graph_walk.hpp"
#include "fusion-engine/ir/decomposition.hpp"

namespace foretell::interp {

Result<Value> evaluate_composite(const ir::Node& node, Operands operands, const EvaluateOptions& options) {
  ir::Graph definition{std::string(ir::to_string(node.op))};
  std::vector<ir::NodeId> ids;
  std::vector<Value> inputs;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    FORETELL_ASSIGN_OR_RETURN(const ir::NodeId id,
                              definition.input(fmt::format("operand{}", i), operands[i]->type));
    ids.push_back(id);
    inputs.push_back(*operands[i]);
  }
  FORETELL_ASSIGN_OR_RETURN(const ir::NodeId result, ir::decompose_node(definition, node, ids));
  FORETELL_RETURN_IF_ERROR(definition.output("result", result));
  FORETELL_ASSIGN_OR_RETURN(std::vector<Value> values,
                            walk_graph(definition, std::move(inputs), false, options));
  return std::move(values[ir::index(result)]);
}

}  // namespace foretell::interp
