// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/ir/infer_rules.hpp"
#include "fusion-engine/ir/nearest_value.hpp"

namespace foretell::ir {
namespace {

Result<Shape> infer_concat(const Application& it) {
  FORETELL_RETURN_IF_ERROR(require_same_dtype(it, 0, it.operands.size()));
  Shape shape = it.shape(0);
  FORETELL_ASSIGN_OR_RETURN(const std::size_t axis, normalize_axis(it, shape.rank()));
  for (std::size_t i = 1; i < it.operands.size(); ++i) {
    Shape aligned = it.shape(i);
    if (aligned.rank() == shape.rank()) {
      aligned[axis] = shape[axis];
    }
    if (aligned != shape) {
      return it.refuse("can't join {} and {} along axis {}", to_string(it.shape(0)), to_string(it.shape(i)),
                       axis);
    }
    if (__builtin_add_overflow(shape[axis], it.shape(i)[axis], &shape[axis])) {
      return it.refuse("the sum of the extents along axis {} is more than 64 bits hold", axis);
    }
  }
  return shape;
}

Result<Shape> infer_pad(const Application& it) {
  const Shape& operand = it.shape(0);
  const Ints& before = it.attributes.ints(AttrKey::Before);
  const Ints& after = it.attributes.ints(AttrKey::After);
  if (before.size() != operand.rank() || after.size() != operand.rank()) {
    return it.refuse("expected entries of 'before' and 'after' for each axis of {}, found {} and {}",
                     to_string(it.operand(0)), before.size(), after.size());
  }
  Shape shape = operand;
  for (std::size_t i = 0; i < operand.rank(); ++i) {
    if (before[i] < 0 || after[i] < 0) {
      return it.refuse("expected padding of at least 0, found {} and {}", before[i], after[i]);
    }
    if (__builtin_add_overflow(shape[i], before[i], &shape[i]) ||
        __builtin_add_overflow(shape[i], after[i], &shape[i])) {
      return it.refuse("axis {} of {} would be longer than 64 bits hold", i, to_string(it.operand(0)));
    }
  }
  const DType dtype = it.operand(0).dtype;
  const double value = it.attributes.real(AttrKey::Value);
  const double stored = nearest_value(value, dtype);
  if (!is_float(dtype) && stored != value) {
    return it.refuse("expected a value that {} holds exactly, found {}", to_string(dtype), value);
  }
  it.attributes.set(AttrKey::Value, stored);
  return shape;
}

// x.shape[:axis] + index.shape + x.shape[axis + 1:]
Result<Shape> gathered_shape(const Application& it) {
  FORETELL_RETURN_IF_ERROR(require_index(it, 1));
  const Shape& x = it.shape(0);
  const Shape& at = it.shape(1);
  FORETELL_ASSIGN_OR_RETURN(const std::size_t axis, normalize_axis(it, x.rank()));
  if (x.rank() - 1 + at.rank() > kMaxRank) {
    return it.refuse("expected a rank of at most {}, found {} by {} of {}", kMaxRank,
                     x.rank() - 1 + at.rank(), to_string(at), to_string(x));
  }
  Shape shape;
  for (std::size_t i = 0; i < axis; ++i) {
    shape.push_back(x[i]);
  }
  for (const std::int64_t extent : at) {
    shape.push_back(extent);
  }
  for (std::size_t i = axis + 1; i < x.rank(); ++i) {
    shape.push_back(x[i]);
  }
  return shape;
}

// Of scatter_add and index_copy; a bool has no sum.
Result<Shape> infer_scatter(const Application& it) {
  if (it.op == OpKind::ScatterAdd && it.operand(0).dtype == DType::Bool) {
    return it.refuse("expected a number type, found {}", to_string(it.operand(0)));
  }
  if (it.operand(2).dtype != it.operand(0).dtype) {
    return it.refuse("expected updates of {}, found {}", to_string(it.operand(0).dtype),
                     to_string(it.operand(2)));
  }
  FORETELL_ASSIGN_OR_RETURN(const Shape updates, gathered_shape(it));
  if (it.shape(2) != updates) {
    return it.refuse("expected updates of shape {} for {} at {}, found {}", to_string(updates),
                     to_string(it.shape(0)), to_string(it.shape(1)), to_string(it.shape(2)));
  }
  return it.shape(0);
}

Result<Shape> infer_shape(const Application& it) {
  switch (it.op) {
    case OpKind::Concat: return infer_concat(it);
    case OpKind::Pad: return infer_pad(it);
    case OpKind::Gather: return gathered_shape(it);
    case OpKind::ScatterAdd:
    case OpKind::IndexCopy: return infer_scatter(it);
    case OpKind::HostRead: return it.shape(0);
    default: return it.refuse("has no rule");
  }
}

}  // namespace

Result<Type> infer_movement(const Application& it) {
  FORETELL_ASSIGN_OR_RETURN(const Shape shape, infer_shape(it));
  return Type{.dtype = it.operand(0).dtype, .shape = shape};
}

}  // namespace foretell::ir
