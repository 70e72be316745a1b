// SPDX-License-Identifier: Apache-2.0
#include <fmt/ranges.h>

#include <algorithm>

#include "fusion-engine/ir/convolution.hpp"
#include "fusion-engine/ir/infer_rules.hpp"

namespace foretell::ir {
namespace {

Result<void> require_pair(const Application& it, AttrKey key, std::int64_t least) {
  const Ints& values = it.attributes.ints(key);
  if (values.size() != 2 || std::ranges::min(values) < least) {
    return it.refuse("expected '{}' of two integers of at least {}, found [{}]", info(key).name, least,
                     fmt::join(values, ","));
  }
  return {};
}

// An empty batch is fine, as it is for other ops.
bool is_image(const Shape& shape) {
  return shape.rank() == 4 && std::ranges::count(shape, 0) == (shape[0] == 0);
}
bool is_filter(const Shape& shape) { return shape.rank() == 4 && std::ranges::count(shape, 0) == 0; }

// Of y, or why x and weight don't go together.
Result<Shape> infer_y(const Application& it, const Shape& x, const Shape& weight) {
  if (!is_image(x) || !is_filter(weight)) {
    return it.refuse("expected x [N,C,H,W] and a weight [K,C/groups,R,S] with elements, found {} and {}",
                     to_string(x), to_string(weight));
  }
  const std::int64_t groups = it.attributes.integer(AttrKey::Groups);
  if (groups < 1 || x[1] % groups != 0 || x[1] / groups != weight[1] || weight[0] % groups != 0) {
    return it.refuse("x {} and the weight {} don't split into {} groups of as many channels", to_string(x),
                     to_string(weight), groups);
  }
  const std::optional<Shape> y = convolved_shape(x, weight, it.attributes);
  if (!y.has_value()) {
    return it.refuse("the window of {} does not fit into {} with its padding", to_string(weight),
                     to_string(x));
  }
  return *y;
}

Result<Shape> infer_gradient(const Application& it, const Shape& x, const Shape& weight, const Shape& dy) {
  FORETELL_ASSIGN_OR_RETURN(const Shape y, infer_y(it, x, weight));
  if (dy != y) {
    return it.refuse("expected dy of shape {} for x {} and the weight {}, found {}", to_string(y),
                     to_string(x), to_string(weight), to_string(dy));
  }
  return it.op == OpKind::Conv2dInputGrad ? x : weight;
}

}  // namespace

Result<Type> infer_convolution(const Application& it) {
  FORETELL_RETURN_IF_ERROR(require_same_dtype(it, 0, 2));
  FORETELL_RETURN_IF_ERROR(require_float(it, 0));
  FORETELL_RETURN_IF_ERROR(require_pair(it, AttrKey::Strides, 1));
  FORETELL_RETURN_IF_ERROR(require_pair(it, AttrKey::Padding, 0));
  FORETELL_RETURN_IF_ERROR(require_pair(it, AttrKey::Dilation, 1));
  Shape shape;
  if (it.op == OpKind::Conv2d) {
    FORETELL_ASSIGN_OR_RETURN(shape, infer_y(it, it.shape(0), it.shape(1)));
  } else {
    FORETELL_ASSIGN_OR_RETURN(const Shape other, shape_from(it, it.attributes.ints(AttrKey::Shape)));
    const bool gives_x = it.op == OpKind::Conv2dInputGrad;
    FORETELL_ASSIGN_OR_RETURN(shape,
                              infer_gradient(it, gives_x ? other : it.shape(0), gives_x ? it.shape(1) : other,
                                             it.shape(gives_x ? 0 : 1)));
  }
  return Type{.dtype = it.operand(0).dtype, .shape = shape};
}

}  // namespace foretell::ir
