// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "fusion-engine/ir/infer_rules.hpp"

namespace foretell::ir {
namespace {

// One entry for each axis of the operand.
Result<void> require_per_axis(const Application& it, AttrKey key) {
  const std::size_t count = it.attributes.ints(key).size();
  if (count != it.shape(0).rank()) {
    return it.refuse("expected an entry of '{}' for each axis of {}, found {}", info(key).name,
                     to_string(it.operand(0)), count);
  }
  return {};
}

Result<Shape> infer_permute(const Application& it) {
  FORETELL_RETURN_IF_ERROR(require_per_axis(it, AttrKey::Permutation));
  const auto rank = static_cast<std::int64_t>(it.shape(0).rank());
  Ints permutation = it.attributes.ints(AttrKey::Permutation);
  std::array<bool, kMaxRank> seen{};
  Shape shape;
  for (std::int64_t& axis : permutation) {
    if (axis < -rank || axis >= rank) {
      return it.refuse("axis {} is out of range for {}", axis, to_string(it.operand(0)));
    }
    axis = axis < 0 ? axis + rank : axis;
    if (seen[static_cast<std::size_t>(axis)]) {
      return it.refuse("axis {} of {} is named twice", axis, to_string(it.operand(0)));
    }
    seen[static_cast<std::size_t>(axis)] = true;
    shape.push_back(it.shape(0)[static_cast<std::size_t>(axis)]);
  }
  it.attributes.set(AttrKey::Permutation, std::move(permutation));
  return shape;
}

Result<Shape> infer_reshape(const Application& it) {
  Ints extents = it.attributes.ints(AttrKey::Shape);
  const std::string wanted = fmt::format("[{}]", fmt::join(extents, ","));
  const std::int64_t count = elements(it.shape(0));
  if (const auto open = std::ranges::find(extents, -1); open != extents.end()) {
    std::int64_t others = 1;
    bool fits = true;
    for (auto extent = extents.begin(); extent != extents.end(); ++extent) {
      fits = fits && (extent == open || (*extent >= 0 && !__builtin_mul_overflow(others, *extent, &others)));
    }
    if (!fits || others == 0 || count % others != 0) {
      return it.refuse("can't work out -1 in {} for {}", wanted, to_string(it.shape(0)));
    }
    *open = count / others;
  }
  FORETELL_ASSIGN_OR_RETURN(const Shape shape, shape_from(it, extents));
  if (elements(shape) != count) {
    return it.refuse("can't make {} of {}: {} elements, not {}", wanted, to_string(it.shape(0)), count,
                     elements(shape));
  }
  it.attributes.set(AttrKey::Shape, std::move(extents));
  return shape;
}

Result<Shape> infer_slice(const Application& it) {
  const std::size_t rank = it.shape(0).rank();
  if (it.attributes.ints(AttrKey::Steps).empty()) {
    it.attributes.set(AttrKey::Steps, Ints(rank, 1));
  }
  for (const AttrKey key : {AttrKey::Starts, AttrKey::Limits, AttrKey::Steps}) {
    FORETELL_RETURN_IF_ERROR(require_per_axis(it, key));
  }
  Shape shape;
  Ints limits = it.attributes.ints(AttrKey::Limits);
  Ints steps = it.attributes.ints(AttrKey::Steps);
  for (std::size_t i = 0; i < rank; ++i) {
    const std::int64_t start = it.attributes.ints(AttrKey::Starts)[i];
    if (start < 0 || start > limits[i] || limits[i] > it.shape(0)[i]) {
      return it.refuse("[{}, {}) is out of range for axis {} of {}", start, limits[i], i,
                       to_string(it.operand(0)));
    }
    if (steps[i] < 1) {
      return it.refuse("expected steps of at least 1, found {}", steps[i]);
    }
    shape.push_back(limits[i] == start ? 0 : (limits[i] - start - 1) / steps[i] + 1);
    // No step is taken. Any would do; one beyond the axis would give a stride beyond 64 bits.
    if (shape[i] <= 1) {
      limits[i] = start + shape[i];
      steps[i] = 1;
    }
  }
  it.attributes.set(AttrKey::Limits, std::move(limits));
  it.attributes.set(AttrKey::Steps, std::move(steps));
  return shape;
}

Result<Shape> infer_expand(const Application& it) {
  FORETELL_ASSIGN_OR_RETURN(const Shape shape, shape_from(it, it.attributes.ints(AttrKey::Shape)));
  if (broadcast(it.shape(0), shape) != shape) {
    return it.refuse("can't expand {} to {}", to_string(it.shape(0)), to_string(shape));
  }
  return shape;
}

Result<Shape> infer_shape(const Application& it) {
  switch (it.op) {
    case OpKind::Permute: return infer_permute(it);
    case OpKind::Reshape: return infer_reshape(it);
    case OpKind::Slice: return infer_slice(it);
    case OpKind::Expand: return infer_expand(it);
    default: return it.refuse("has no rule");
  }
}

}  // namespace

Result<Type> infer_view(const Application& it) {
  FORETELL_ASSIGN_OR_RETURN(const Shape shape, infer_shape(it));
  return Type{.dtype = it.operand(0).dtype, .shape = shape};
}

}  // namespace foretell::ir
