// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/ir/infer_rules.hpp"

namespace foretell::ir {
namespace {

Result<void> require_numeric(const Application& it, std::size_t i) {
  if (it.operand(i).dtype == DType::Bool) {
    return it.refuse("expected a number type, found {}", to_string(it.operand(i)));
  }
  return {};
}

Result<DType> infer_dtype(const Application& it) {
  const std::size_t count = it.operands.size();
  const DType first = it.operand(0).dtype;
  switch (info(it.op).types) {
    case TypeRule::None: break;
    case TypeRule::Numeric:
      FORETELL_RETURN_IF_ERROR(require_same_dtype(it, 0, count));
      FORETELL_RETURN_IF_ERROR(require_numeric(it, 0));
      return first;
    case TypeRule::Float:
      FORETELL_RETURN_IF_ERROR(require_same_dtype(it, 0, count));
      FORETELL_RETURN_IF_ERROR(require_float(it, 0));
      return first;
    case TypeRule::Logical:
      for (const Type& type : it.operands) {
        if (type.dtype != DType::Bool) {
          return it.refuse("expected bool, found {}", to_string(type));
        }
      }
      return DType::Bool;
    case TypeRule::Compare: FORETELL_RETURN_IF_ERROR(require_same_dtype(it, 0, count)); return DType::Bool;
    case TypeRule::Select:
      if (first != DType::Bool) {
        return it.refuse("expected a condition of bool, found {}", to_string(it.operand(0)));
      }
      FORETELL_RETURN_IF_ERROR(require_same_dtype(it, 1, count));
      return it.operand(1).dtype;
  }
  return it.refuse("is not elementwise");
}

}  // namespace

Result<Type> infer_elementwise(const Application& it) {
  FORETELL_ASSIGN_OR_RETURN(const DType dtype, infer_dtype(it));
  Shape shape = it.shape(0);
  for (std::size_t i = 1; i < it.operands.size(); ++i) {
    const std::optional<Shape> both = broadcast(shape, it.shape(i));
    if (!both.has_value()) {
      return it.refuse("can't broadcast {} with {}", to_string(shape), to_string(it.shape(i)));
    }
    shape = *both;
  }
  return Type{.dtype = dtype, .shape = shape};
}

Result<Type> infer_cast(const Application& it) {
  return Type{.dtype = it.attributes.dtype(AttrKey::To), .shape = it.shape(0)};
}

}  // namespace foretell::ir
