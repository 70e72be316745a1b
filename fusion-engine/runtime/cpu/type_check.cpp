// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/runtime/cpu/type_check.hpp"

#include <algorithm>
#include <string>

#include "fusion-engine/ir/infer.hpp"

namespace foretell::runtime::cpu {
namespace {

bool is_of(const Tensor& tensor, const ir::Type& type) {
  return tensor.dtype == type.dtype && tensor.shape == type.shape;
}

}  // namespace

Result<void> TypeCheck::check(ir::NodeId id, std::span<const Tensor> operands) {
  Checked& checked = checked_[ir::index(id)];
  if (checked.is_known && std::ranges::equal(operands, checked.operands, is_of)) {
    return {};
  }
  const ir::Node& node = graph_.node(id);
  checked = {};
  for (const Tensor& operand : operands) {
    checked.operands.push_back({.dtype = operand.dtype, .shape = operand.shape});
  }
  ir::Attributes attributes = node.attributes;
  FORETELL_ASSIGN_OR_RETURN(const ir::Type type, ir::infer(node.op, checked.operands, attributes));
  if (type != node.type) {
    return fail(ErrorCode::BadInput, {},
                std::string(ir::to_string(node.op)) + ": expected a result of " + ir::to_string(node.type) +
                    ", found operands that give " + ir::to_string(type));
  }
  checked.is_known = true;
  return {};
}

}  // namespace foretell::runtime::cpu
