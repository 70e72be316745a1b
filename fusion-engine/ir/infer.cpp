// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/ir/infer.hpp"

#include "fusion-engine/ir/infer_rules.hpp"

namespace foretell::ir {
namespace {

Result<void> check_arity(const Application& it) {
  const OpInfo& row = info(it.op);
  const std::size_t count = it.operands.size();
  if (count >= row.min_arity && count <= row.max_arity) {
    return {};
  }
  if (row.min_arity == row.max_arity) {
    return it.refuse("expected {} operand{}, found {}", row.min_arity, row.min_arity == 1 ? "" : "s", count);
  }
  return it.refuse("expected {} to {} operands, found {}", row.min_arity, row.max_arity, count);
}

Result<Type> infer_by_category(const Application& it) {
  switch (category(it.op)) {
    case Category::Elementwise: return infer_elementwise(it);
    case Category::Cast: return infer_cast(it);
    case Category::Source: return infer_source(it);
    case Category::Reduction: return infer_reduction(it);
    case Category::Matmul: return infer_matmul(it);
    case Category::Convolution: return infer_convolution(it);
    case Category::View: return infer_view(it);
    case Category::Movement: return infer_movement(it);
    case Category::Composite: return infer_composite(it);
  }
  return it.refuse("unknown category");
}

}  // namespace

bool fits_memory(const Shape& shape) {
  std::int64_t bytes = 8;  // of the largest element
  for (const std::int64_t extent : shape) {
    if (extent > 1 && __builtin_mul_overflow(bytes, extent, &bytes)) {
      return false;
    }
  }
  return true;
}

Result<Type> infer(OpKind op, std::span<const Type> operands, Attributes& attributes) {
  const Application it{.op = op, .operands = operands, .attributes = attributes};
  FORETELL_RETURN_IF_ERROR(check_arity(it));
  FORETELL_RETURN_IF_ERROR(complete_attributes(op, attributes));
  FORETELL_ASSIGN_OR_RETURN(Type result, infer_by_category(it));
  if (!fits_memory(result.shape)) {
    return it.refuse("the result {} has more elements than 64 bits can count bytes for", to_string(result));
  }
  return result;
}

}  // namespace foretell::ir
