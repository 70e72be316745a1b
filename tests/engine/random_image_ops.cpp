// SPDX-License-Identifier: Apache-2.0
// The ops over images; random_ops.cpp has the others.
#include <numeric>

#include "fusion-engine/ir/convolution.hpp"
#include "tests/engine/graph_builder.hpp"

namespace foretell::tests {

namespace {

using ir::AttrKey;
using ir::OpKind;

bool is_real(const ir::Type& type) { return ir::is_float(type.dtype); }

ir::Ints to_ints(const ir::Shape& shape) { return {shape.begin(), shape.end()}; }

// The smallest extent of an image over which a window takes so many positions; may be below 1.
std::int64_t least_extent(std::int64_t positions, std::int64_t window, std::size_t axis,
                          const ir::Attributes& attributes) {
  return (positions - 1) * attributes.ints(AttrKey::Strides)[axis] +
         (window - 1) * attributes.ints(AttrKey::Dilation)[axis] + 1 -
         2 * attributes.ints(AttrKey::Padding)[axis];
}

}  // namespace

// What the value is not, the other operand or the result, is made to fit it.
GraphBuilder::Node GraphBuilder::convolution(OpKind op) {
  const ir::NodeId value = any_value(is_real, 4);
  const ir::Shape shape = type(value).shape;
  if (shape.rank() != 4) {
    return std::nullopt;
  }
  const auto pair = [&](std::int64_t low, std::int64_t high) {
    return ir::Ints{choose_.between(low, high), choose_.between(low, high)};
  };
  const std::int64_t groups = std::gcd(shape[1], choose_.of<std::int64_t>({1, 1, 2, 8}));
  ir::Attributes attributes{{AttrKey::Strides, pair(1, 2)},
                            {AttrKey::Padding, pair(0, 2)},
                            {AttrKey::Dilation, pair(1, 2)},
                            {AttrKey::Groups, groups}};
  const std::int64_t other = choose_.of<std::int64_t>({1, 2, 3, 8, 17});  // channels of a group
  const bool gives_x = op == OpKind::Conv2dInputGrad;
  const ir::Shape weight{gives_x ? shape[1] : groups * other, gives_x ? other : shape[1] / groups,
                         choose_.between(1, 3), choose_.between(1, 3)};
  const auto input = [&](const ir::Shape& of) {
    return fresh_input({.dtype = type(value).dtype, .shape = of});
  };
  switch (op) {
    case OpKind::Conv2d: return add(op, {value, input(weight)}, attributes);
    case OpKind::Conv2dInputGrad: {
      ir::Ints x{shape[0], groups * other};
      for (const std::size_t axis : {0U, 1U}) {
        x.push_back(least_extent(shape[2 + axis], weight[2 + axis], axis, attributes) +
                    choose_.between(0, attributes.ints(AttrKey::Strides)[axis] - 1));
      }
      attributes.set(AttrKey::Shape, x);
      return add(op, {value, input(weight)}, attributes);
    }
    default: {
      const auto dy = ir::convolved_shape(shape, weight, attributes);
      attributes.set(AttrKey::Shape, to_ints(weight));
      return dy.has_value() ? add(op, {value, input(*dy)}, attributes) : std::nullopt;
    }
  }
}

GraphBuilder::Node GraphBuilder::image_composite(OpKind op) {
  const ir::NodeId x = any_value(is_real, op == OpKind::UpsampleNearest ? 4 : 2);
  const std::int64_t channels = type(x).shape[1];
  const auto vector = [&] { return fresh_input({.dtype = type(x).dtype, .shape = {channels}}); };
  switch (op) {
    case OpKind::GroupNorm: {
      const std::int64_t groups = std::gcd(channels, choose_.of<std::int64_t>({1, 2, 4, 32}));
      const ir::Attributes attributes{{AttrKey::Groups, groups}, {AttrKey::Epsilon, 1e-3}};
      return choose_.one_in(3) ? add(op, {x}, attributes) : add(op, {x, vector(), vector()}, attributes);
    }
    case OpKind::BatchNorm: {
      const ir::NodeId weight = vector();
      if (choose_.one_in(2)) {
        return add(op, {x, weight, vector()}, {{AttrKey::Epsilon, 1e-3}});
      }
      return add(op, {x, weight, vector(), vector(), positive(vector())}, {{AttrKey::Epsilon, 1e-3}});
    }
    default: return add(op, {x}, {{AttrKey::Factor, choose_.between(1, 3)}});
  }
}

}  // namespace foretell::tests
