// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/ir/flops.hpp"

#include "fusion-engine/ir/convolution.hpp"
#include "src/base/saturate.hpp"

namespace foretell::ir {

std::int64_t flops(const Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  switch (category(node.op)) {
    case Category::Elementwise: return saturated_product(elements(node.type.shape), info(node.op).flops);
    case Category::Reduction: {
      // The variance takes a sum, a difference, a square and a sum; the others one operation.
      const std::int64_t per_element = node.op == OpKind::Var ? 4 : 1;
      return saturated_product(elements(graph.type(node.operands[0]).shape), per_element);
    }
    case Category::Matmul: {
      const Shape& a = graph.type(node.operands[0]).shape;
      const std::int64_t depth = a[a.rank() - (node.attributes.flag(AttrKey::TransposeA) ? 2 : 1)];
      return saturated_product(elements(node.type.shape), saturated_product(depth, 2));
    }
    case Category::Convolution: {
      const Shape& a = graph.type(node.operands[0]).shape;
      const Shape& b = graph.type(node.operands[1]).shape;
      return saturated_product(multiplications(convolution_of(node, a, b)), 2);
    }
    case Category::Cast:
    case Category::Source:
    case Category::View:
    case Category::Movement:
    case Category::Composite: return 0;
  }
  return 0;
}

}  // namespace foretell::ir
