// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "fusion-engine/ir/infer_rules.hpp"

namespace foretell::ir {
namespace {

// x [N,C,...]; every other operand has one element per channel.
Result<void> require_channels(const Application& it) {
  const Shape& x = it.shape(0);
  if (x.rank() < 2 || std::ranges::count(x, 0) != 0) {
    return it.refuse("expected x [N,C,...] with elements, found {}", to_string(it.operand(0)));
  }
  FORETELL_RETURN_IF_ERROR(require_same_dtype(it, 0, it.operands.size()));
  constexpr std::string_view kNames[]{"x", "a weight", "a bias", "a mean", "a variance"};
  const Shape channels{x[1]};
  for (std::size_t i = 1; i < it.operands.size(); ++i) {
    if (it.shape(i) != channels) {
      return it.refuse("expected {} of shape {} for {}, found {}", kNames[i], to_string(channels),
                       to_string(x), to_string(it.shape(i)));
    }
  }
  return require_epsilon(it);
}

Result<Type> infer_group_norm(const Application& it) {
  FORETELL_RETURN_IF_ERROR(require_channels(it));
  const std::int64_t groups = it.attributes.integer(AttrKey::Groups);
  if (groups < 1 || it.shape(0)[1] % groups != 0) {
    return it.refuse("the channels of {} don't split into {} groups", to_string(it.shape(0)), groups);
  }
  return it.operand(0);
}

Result<Type> infer_batch_norm(const Application& it) {
  if (it.operands.size() == 4) {
    return it.refuse("expected 3 operands, or 5 with a mean and a variance, found 4");
  }
  FORETELL_RETURN_IF_ERROR(require_channels(it));
  return it.operand(0);
}

Result<Type> infer_upsample(const Application& it) {
  const std::int64_t factor = it.attributes.integer(AttrKey::Factor);
  Type type = it.operand(0);
  if (type.shape.rank() != 4) {
    return it.refuse("expected x [N,C,H,W], found {}", to_string(type));
  }
  if (factor < 1) {
    return it.refuse("expected a factor of at least 1, found {}", factor);
  }
  for (const std::size_t axis : {2U, 3U}) {
    if (__builtin_mul_overflow(type.shape[axis], factor, &type.shape[axis])) {
      return it.refuse("axis {} of {} would be longer than 64 bits hold", axis, to_string(it.operand(0)));
    }
  }
  return type;
}

}  // namespace

Result<Type> infer_image_composite(const Application& it) {
  switch (it.op) {
    case OpKind::GroupNorm: return infer_group_norm(it);
    case OpKind::BatchNorm: return infer_batch_norm(it);
    case OpKind::UpsampleNearest: return infer_upsample(it);
    default: return it.refuse("has no rule");
  }
}

}  // namespace foretell::ir
