// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/passes/decompose.hpp"

#include "fusion-engine/ir/decomposition.hpp"
#include "fusion-engine/passes/rebuild.hpp"

namespace foretell::passes {

ir::Graph decompose(const ir::Graph& graph) {
  return rebuild(graph, [](ir::Graph& into, const ir::Node& node, const std::vector<ir::NodeId>& operands) {
    return ir::has_decomposition(node.op) ? ir::decompose_node(into, node, operands).value()
                                          : copy_node(into, node, operands);
  });
}

}  // namespace foretell::passes
