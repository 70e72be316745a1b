// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/runtime/cpu/type_check.hpp"

#include <algorithm>

#include "fusion-engine/ir/infer.hpp"

namespace foretell::runtime::cpu {
namespace {

bool same_dtype(std::span<const Tensor> operands, ir::DType dtype) {
  return std::ranges::all_of(operands, [dtype](const Tensor& each) { return each.dtype == dtype; });
}

bool dtypes_fit(const ir::OpInfo& row, ir::DType result, std::span<const Tensor> operands) {
  switch (row.types) {
    case ir::TypeRule::None: return false;
    case ir::TypeRule::Numeric: return result != ir::DType::Bool && same_dtype(operands, result);
    case ir::TypeRule::Float: return ir::is_float(result) && same_dtype(operands, result);
    case ir::TypeRule::Logical: return result == ir::DType::Bool && same_dtype(operands, result);
    case ir::TypeRule::Compare: return result == ir::DType::Bool && same_dtype(operands, operands[0].dtype);
    case ir::TypeRule::Select:
      return operands[0].dtype == ir::DType::Bool && same_dtype(operands.subspan(1), result);
  }
  return false;
}

bool elementwise_fits(const ir::Node& node, std::span<const Tensor> operands) {
  const ir::OpInfo& row = ir::info(node.op);
  if (operands.size() != row.min_arity || !dtypes_fit(row, node.type.dtype, operands)) {
    return false;
  }
  const ir::Shape* whole = &operands[0].shape;
  ir::Shape broadcast;
  for (const Tensor& operand : operands.subspan(1)) {
    if (operand.shape == *whole) {
      continue;
    }
    const auto both = ir::broadcast(*whole, operand.shape);
    if (!both) {
      return false;
    }
    broadcast = *both;
    whole = &broadcast;
  }
  return *whole == node.type.shape;
}

bool is_of(const Tensor& tensor, const ir::Type& type) {
  return tensor.dtype == type.dtype && tensor.shape == type.shape;
}

}  // namespace

Result<void> TypeCheck::check(const ir::Node& node, std::span<const Tensor> operands) {
  if (ir::is_elementwise(node.op) && elementwise_fits(node, operands)) {
    return {};
  }
  Checked& checked = checked_[&node];
  if (checked.op == node.op && checked.result == node.type &&
      std::ranges::equal(operands, checked.operands, is_of)) {
    return {};
  }
  checked = {.op = node.op, .result = {}, .operands = {}};
  for (const Tensor& operand : operands) {
    checked.operands.push_back({.dtype = operand.dtype, .shape = operand.shape});
  }
  ir::Attributes attributes = node.attributes;
  auto type = ir::infer(node.op, checked.operands, attributes);
  if (type && *type == node.type) {
    checked.result = *type;
    return {};
  }
  checked_.erase(&node);
  if (!type) {
    return std::unexpected(std::move(type).error());
  }
  return fail(ErrorCode::BadInput, {},
              std::string(ir::to_string(node.op)) + ": expected a result of " + ir::to_string(node.type) +
                  ", found operands that give " + ir::to_string(*type));
}

}  // namespace foretell::runtime::cpu
