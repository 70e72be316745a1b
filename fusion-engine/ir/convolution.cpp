// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/ir/convolution.hpp"

#include "src/base/saturate.hpp"

namespace foretell::ir {
namespace {

std::array<std::int64_t, 2> pair_of(const Ints& values) { return {values[0], values[1]}; }

std::optional<std::int64_t> positions(std::int64_t extent, std::int64_t window, std::int64_t stride,
                                      std::int64_t padding, std::int64_t dilation) {
  std::int64_t padded = 0;
  std::int64_t reach = 0;  // from the window's first element to its last
  if (__builtin_mul_overflow(padding, std::int64_t{2}, &padded) ||
      __builtin_add_overflow(padded, extent, &padded) ||
      __builtin_mul_overflow(dilation, window - 1, &reach) || padded - 1 < reach) {
    return std::nullopt;
  }
  return (padded - 1 - reach) / stride + 1;
}

}  // namespace

Convolution convolution_of(const Node& node, const Shape& a, const Shape& b) {
  Convolution it{.x = a,
                 .weight = b,
                 .y = node.type.shape,
                 .strides = pair_of(node.attributes.ints(AttrKey::Strides)),
                 .padding = pair_of(node.attributes.ints(AttrKey::Padding)),
                 .dilation = pair_of(node.attributes.ints(AttrKey::Dilation)),
                 .groups = node.attributes.integer(AttrKey::Groups)};
  if (node.op == OpKind::Conv2dInputGrad) {
    std::swap(it.x, it.y);
  } else if (node.op == OpKind::Conv2dWeightGrad) {
    std::swap(it.weight, it.y);
  }
  return it;
}

std::optional<Shape> convolved_shape(const Shape& x, const Shape& weight, const Attributes& attributes) {
  Shape y{x[0], weight[0]};
  for (const std::size_t i : {0U, 1U}) {
    const std::optional<std::int64_t> extent =
        positions(x[2 + i], weight[2 + i], attributes.ints(AttrKey::Strides)[i],
                  attributes.ints(AttrKey::Padding)[i], attributes.ints(AttrKey::Dilation)[i]);
    if (!extent.has_value()) {
      return std::nullopt;
    }
    y.push_back(*extent);
  }
  return y;
}

std::int64_t multiplications(const Convolution& it) {
  std::int64_t count = elements(it.y);
  for (const std::size_t axis : {1U, 2U, 3U}) {
    count = saturated_product(count, it.weight[axis]);
  }
  return count;
}

}  // namespace foretell::ir
