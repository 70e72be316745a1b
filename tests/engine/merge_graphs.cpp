// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/merge_graphs.hpp"

#include <fmt/format.h>

#include "fusion-engine/ir/copy_nodes.hpp"

namespace foretell::tests {

ir::Graph merge_graphs(std::span<const ir::Graph> graphs) {
  ir::Graph merged("merged");
  for (std::size_t g = 0; g < graphs.size(); ++g) {
    const ir::Graph& graph = graphs[g];
    const std::string prefix = fmt::format("{}.", g);
    const auto make = [&](ir::NodeId id, const std::vector<ir::NodeId>& operands) {
      const ir::Node& node = graph.node(id);
      return (node.op == ir::OpKind::Input
                  ? merged.input(prefix + node.attributes.text(ir::AttrKey::Name), node.type)
                  : merged.add(node.op, operands, node.attributes))
          .value();
    };
    const std::vector<bool> all(graph.size(), true);
    ir::copy_outputs(merged, graph.outputs(), ir::copy_nodes(graph, all, make), prefix);
  }
  return merged;
}

}  // namespace foretell::tests
