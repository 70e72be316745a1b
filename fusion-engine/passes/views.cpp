// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/passes/views.hpp"

#include <optional>

#include "fusion-engine/ir/view_layout.hpp"

namespace foretell::passes {

std::vector<Operand> resolve_views(const ir::Graph& graph) {
  std::vector<Operand> readings;
  readings.reserve(graph.size());
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const auto id = static_cast<ir::NodeId>(i);
    const ir::Node& node = graph.node(id);
    Operand reading{.value = id, .buffer = id, .offset = 0, .strides = ir::dense_strides(node.type.shape)};
    if (ir::category(node.op) == ir::Category::View) {
      const Operand& from = readings[ir::index(node.operands[0])];
      const ir::Layout layout{
          .shape = graph.type(node.operands[0]).shape, .offset = from.offset, .strides = from.strides};
      if (const std::optional<ir::Layout> view = ir::view_of(node, layout)) {
        reading.buffer = from.buffer;
        reading.offset = view->offset;
        reading.strides = view->strides;
      }
    }
    readings.push_back(reading);
  }
  return readings;
}

}  // namespace foretell::passes
