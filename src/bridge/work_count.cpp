// SPDX-License-Identifier: Apache-2.0
#include "src/bridge/work_count.hpp"

namespace foretell::bridge {

WorkCount count_work(const ir::Graph& graph) {
  WorkCount count;
  const std::vector<bool> live = ir::live_nodes(graph);
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const ir::Node& node = graph.nodes()[i];
    const auto elements = static_cast<double>(ir::elements(node.type.shape));
    if (!live[i]) {
      continue;
    }
    switch (ir::category(node.op)) {
      case ir::Category::Elementwise:
        count.flops += elements * ir::info(node.op).flops;
        count.element_ops += elements;
        break;
      case ir::Category::Reduction: {
        const auto reduced = static_cast<double>(ir::elements(graph.type(node.operands.front()).shape));
        count.flops += reduced;
        count.element_ops += reduced;
        break;
      }
      case ir::Category::Matmul: {
        const ir::Shape& a = graph.type(node.operands.front()).shape;
        const std::size_t inner = node.attributes.flag(ir::AttrKey::TransposeA) ? a.rank() - 2 : a.rank() - 1;
        const double products = elements * static_cast<double>(a[inner]);
        count.matmul_flops += 2 * products;
        count.matmuls += 1;
        count.element_ops += products;
        break;
      }
      case ir::Category::Cast:
      case ir::Category::Source:
      case ir::Category::View:
      case ir::Category::Movement:
      case ir::Category::Composite: count.element_ops += elements; break;
    }
  }
  return count;
}

}  // namespace foretell::bridge
