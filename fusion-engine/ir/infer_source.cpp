// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "fusion-engine/ir/attribute_defaults.hpp"
#include "fusion-engine/ir/infer_rules.hpp"
#include "fusion-engine/ir/nearest_value.hpp"

namespace foretell::ir {
namespace {

// Random contents of integers follow from what they index.
Result<Type> infer_input(const Application& it) {
  FORETELL_ASSIGN_OR_RETURN(const Shape shape, shape_from(it, it.attributes.ints(AttrKey::Shape)));
  const Type type{.dtype = it.attributes.dtype(AttrKey::To), .shape = shape};
  const double low = it.attributes.real(AttrKey::Low);
  const double high = it.attributes.real(AttrKey::High);
  if (!std::isfinite(low) || !std::isfinite(high) || low > high) {
    return it.refuse("expected contents from low to a high that is no less, found {} to {}", low, high);
  }
  if (!is_float(type.dtype) && (low != std::get<double>(*default_value(it.op, AttrKey::Low)) ||
                                high != std::get<double>(*default_value(it.op, AttrKey::High)))) {
    return it.refuse("expected a float type for contents from {} to {}, found {}", low, high,
                     to_string(type.dtype));
  }
  return type;
}

// Stored as its type holds it.
Result<Type> infer_constant(const Application& it) {
  const DType dtype = it.attributes.dtype(AttrKey::To);
  const double value = it.attributes.real(AttrKey::Value);
  const double stored = nearest_value(value, dtype);
  if (!is_float(dtype) && stored != value) {
    return it.refuse("expected a value that {} holds exactly, found {}", to_string(dtype), value);
  }
  it.attributes.set(AttrKey::Value, stored);
  return Type{.dtype = dtype, .shape = {}};
}

Result<Type> infer_iota(const Application& it) {
  const DType dtype = it.attributes.dtype(AttrKey::To);
  FORETELL_ASSIGN_OR_RETURN(const Shape shape, shape_from(it, it.attributes.ints(AttrKey::Shape)));
  if (dtype == DType::Bool) {
    return it.refuse("expected a number type, found bool");
  }
  FORETELL_ASSIGN_OR_RETURN(const std::size_t axis, normalize_axis(it, shape.rank()));
  if (dtype == DType::I32 && shape[axis] - 1 > std::numeric_limits<std::int32_t>::max()) {
    return it.refuse("axis {} of {} counts further than i32", axis, to_string(shape));
  }
  return Type{.dtype = dtype, .shape = shape};
}

}  // namespace

Result<Type> infer_random_source(const Application& it) {
  const DType dtype = it.attributes.dtype(AttrKey::To);
  FORETELL_ASSIGN_OR_RETURN(const Shape shape, shape_from(it, it.attributes.ints(AttrKey::Shape)));
  if (!is_float(dtype)) {
    return it.refuse("expected a float type, found {}", to_string(dtype));
  }
  FORETELL_RETURN_IF_ERROR(require_counter(it));
  return Type{.dtype = dtype, .shape = shape};
}

Result<void> require_counter(const Application& it) {
  const std::int64_t counter = it.attributes.integer(AttrKey::Counter);
  // One below the largest: a fresh counter always exists.
  if (counter < 0 || counter == std::numeric_limits<std::int64_t>::max()) {
    return it.refuse("expected a counter from 0 to 2^63 - 2, found {}", counter);
  }
  return {};
}

Result<Type> infer_source(const Application& it) {
  switch (it.op) {
    case OpKind::Input: return infer_input(it);
    case OpKind::Constant: return infer_constant(it);
    case OpKind::Iota: return infer_iota(it);
    case OpKind::RandomUniform: return infer_random_source(it);
    default: return it.refuse("has no rule");
  }
}

}  // namespace foretell::ir
