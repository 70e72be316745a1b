// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/merge_graphs.hpp"

#include <fmt/format.h>

namespace foretell::tests {

ir::Graph merge_graphs(std::span<const ir::Graph> graphs) {
  ir::Graph merged("merged");
  for (std::size_t g = 0; g < graphs.size(); ++g) {
    std::vector<ir::NodeId> mapped;
    for (const ir::Node& node : graphs[g].nodes()) {
      if (node.op == ir::OpKind::Input) {
        const std::string name = fmt::format("{}.{}", g, node.attributes.text(ir::AttrKey::Name));
        mapped.push_back(merged.input(name, node.type).value());
        continue;
      }
      std::vector<ir::NodeId> operands;
      for (const ir::NodeId operand : node.operands) {
        operands.push_back(mapped[ir::index(operand)]);
      }
      mapped.push_back(merged.add(node.op, operands, node.attributes).value());
    }
    for (const ir::Output& output : graphs[g].outputs()) {
      std::optional<ir::NodeId> state;
      if (output.state_of.has_value()) {
        state = mapped[ir::index(*output.state_of)];
      }
      const std::string name = fmt::format("{}.{}", g, output.name);
      FORETELL_CHECK(merged.output(name, mapped[ir::index(output.node)], state).has_value());
    }
  }
  return merged;
}

}  // namespace foretell::tests
