// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "fusion-engine/ir/infer_rules.hpp"

namespace foretell::ir {
namespace {

using AxisSet = std::array<bool, kMaxRank>;

// The attribute Axes, brought into [0, rank), sorted and stored so.
Result<AxisSet> normalize_axes(const Application& it) {
  const auto rank = static_cast<std::int64_t>(it.shape(0).rank());
  Ints axes = it.attributes.ints(AttrKey::Axes);
  if (axes.empty()) {
    return it.refuse("expected at least one axis of {}, found none", to_string(it.operand(0)));
  }
  AxisSet reduced{};
  for (std::int64_t& axis : axes) {
    if (axis < -rank || axis >= rank) {
      return it.refuse("axis {} is out of range for {}", axis, to_string(it.operand(0)));
    }
    axis = axis < 0 ? axis + rank : axis;
    if (reduced[static_cast<std::size_t>(axis)]) {
      return it.refuse("axis {} of {} is named twice", axis, to_string(it.operand(0)));
    }
    reduced[static_cast<std::size_t>(axis)] = true;
  }
  std::ranges::sort(axes);
  it.attributes.set(AttrKey::Axes, std::move(axes));
  return reduced;
}

Result<AxisSet> reduced_axes(const Application& it) {
  if (it.op != OpKind::Argmax) {
    return normalize_axes(it);
  }
  FORETELL_ASSIGN_OR_RETURN(const std::size_t axis, normalize_axis(it, it.shape(0).rank()));
  AxisSet reduced{};
  reduced[axis] = true;
  return reduced;
}

// Whether the reduction is defined for this many elements (0 and 1 are told apart from more).
Result<void> check_count(const Application& it, const AxisSet& reduced) {
  double count = 1;
  for (std::size_t i = 0; i < it.shape(0).rank(); ++i) {
    count *= reduced[i] ? static_cast<double>(it.shape(0)[i]) : 1.0;
  }
  if (count == 0 && it.op != OpKind::Sum) {
    return it.refuse("is not defined over no elements, found {}", to_string(it.operand(0)));
  }
  if (it.op == OpKind::Var) {
    const std::int64_t correction = it.attributes.integer(AttrKey::Correction);
    if (correction < 0 || static_cast<double>(correction) >= count) {
      return it.refuse("expected a correction from 0 to less than the {} reduced elements, found {}", count,
                       correction);
    }
  }
  return {};
}

}  // namespace

Result<Type> infer_reduction(const Application& it) {
  const bool needs_float = it.op == OpKind::Mean || it.op == OpKind::Var;
  if (needs_float) {
    FORETELL_RETURN_IF_ERROR(require_float(it, 0));
  } else if (it.operand(0).dtype == DType::Bool) {
    return it.refuse("expected a number type, found {}", to_string(it.operand(0)));
  }
  FORETELL_ASSIGN_OR_RETURN(const AxisSet reduced, reduced_axes(it));
  FORETELL_RETURN_IF_ERROR(check_count(it, reduced));
  const bool keep_dims = it.attributes.flag(AttrKey::KeepDims);
  Shape shape;
  for (std::size_t i = 0; i < it.shape(0).rank(); ++i) {
    if (!reduced[i]) {
      shape.push_back(it.shape(0)[i]);
    } else if (keep_dims) {
      shape.push_back(1);
    }
  }
  return Type{.dtype = it.op == OpKind::Argmax ? DType::I64 : it.operand(0).dtype, .shape = shape};
}

}  // namespace foretell::ir
