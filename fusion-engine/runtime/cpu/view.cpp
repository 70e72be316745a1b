// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/runtime/cpu/view.hpp"

#include "fusion-engine/passes/views.hpp"

namespace foretell::runtime::cpu {
namespace {

Tensor permuted(const ir::Node& node, const Tensor& operand) {
  Tensor view = operand;
  view.shape = node.type.shape;
  const ir::Ints& permutation = node.attributes.ints(ir::AttrKey::Permutation);
  for (std::size_t i = 0; i < permutation.size(); ++i) {
    view.strides[i] = operand.strides[static_cast<std::size_t>(permutation[i])];
  }
  return view;
}

Tensor sliced(const ir::Node& node, const Tensor& operand) {
  Tensor view = operand;
  view.shape = node.type.shape;
  const ir::Ints& starts = node.attributes.ints(ir::AttrKey::Starts);
  const ir::Ints& steps = node.attributes.ints(ir::AttrKey::Steps);
  const auto size = static_cast<std::int64_t>(ir::size_bytes(operand.dtype));
  for (std::size_t i = 0; i < starts.size(); ++i) {
    view.data += starts[i] * operand.strides[i] * size;
    view.strides[i] = operand.strides[i] * (steps.empty() ? 1 : steps[i]);
  }
  return view;
}

Tensor expanded(const ir::Node& node, const Tensor& operand) {
  Tensor view = operand;
  view.shape = node.type.shape;
  view.strides = ir::Dims{};
  const std::size_t lead = view.shape.rank() - operand.shape.rank();
  for (std::size_t i = 0; i < view.shape.rank(); ++i) {
    const bool repeated = i < lead || (operand.shape[i - lead] == 1 && view.shape[i] != 1);
    view.strides.push_back(repeated ? 0 : operand.strides[i - lead]);
  }
  return view;
}

}  // namespace

std::optional<Tensor> view_of(const ir::Node& node, const Tensor& operand) {
  if (node.op == ir::OpKind::Permute) {
    return permuted(node, operand);
  }
  if (node.op == ir::OpKind::Slice) {
    return sliced(node, operand);
  }
  if (node.op == ir::OpKind::Expand) {
    return expanded(node, operand);
  }
  FORETELL_CHECK(node.op == ir::OpKind::Reshape);
  const auto strides = passes::reshape_strides(operand.shape, operand.strides, node.type.shape);
  if (!strides) {
    return std::nullopt;
  }
  Tensor view = operand;
  view.shape = node.type.shape;
  view.strides = *strides;
  return view;
}

}  // namespace foretell::runtime::cpu
