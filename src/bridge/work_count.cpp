// SPDX-License-Identifier: Apache-2.0
#include "src/bridge/work_count.hpp"

#include "fusion-engine/ir/flops.hpp"

namespace foretell::bridge {

WorkCount count_work(const ir::Graph& graph) {
  WorkCount count;
  const std::vector<bool> live = ir::live_nodes(graph);
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const ir::Node& node = graph.nodes()[i];
    if (!live[i]) {
      continue;
    }
    const auto elements = static_cast<double>(ir::elements(node.type.shape));
    const auto flops = static_cast<double>(ir::flops(graph, ir::NodeId{static_cast<std::uint32_t>(i)}));
    switch (ir::category(node.op)) {
      case ir::Category::Elementwise:
        count.flops += flops;
        count.element_ops += elements;
        break;
      case ir::Category::Reduction:
        count.flops += flops;
        count.element_ops += static_cast<double>(ir::elements(graph.type(node.operands.front()).shape));
        break;
      case ir::Category::Matmul:
      case ir::Category::Convolution:
        count.matmul_flops[graph.type(node.operands.front()).dtype] += flops;
        count.matmuls += 1;
        count.element_ops += flops / 2;
        break;
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
