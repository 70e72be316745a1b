// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/runtime/cpu/view.hpp"

#include "fusion-engine/ir/view_layout.hpp"

namespace foretell::runtime::cpu {

std::optional<Tensor> view_of(const ir::Node& node, const Tensor& operand) {
  const auto layout =
      ir::view_of(node, ir::Layout{.shape = operand.shape, .offset = 0, .strides = operand.strides});
  if (!layout) {
    return std::nullopt;
  }
  return Tensor{.data = operand.at(layout->offset),
                .dtype = operand.dtype,
                .shape = layout->shape,
                .strides = layout->strides};
}

}  // namespace foretell::runtime::cpu
