// SPDX-License-Identifier: Apache-2.0
// The ops over images [N,C,...].
#include "fusion-engine/ir/decomposition_rules.hpp"

namespace foretell::ir::definitions {
namespace {

// Extents `lead`, and 1 for each of the others of an image.
Shape with_ones(Shape lead, std::size_t rank) {
  while (lead.rank() < rank) {
    lead.push_back(1);
  }
  return lead;
}

// An operand [C], so that it broadcasts with x.
Term per_channel(const Composite& it, std::size_t operand) {
  const Shape& x = it.node.type.shape;
  return reshape(it.at(operand), with_ones({x[1]}, x.rank() - 1));
}

// With a weight and a bias, if there are any.
Term scaled_by_channel(const Composite& it, Term x) {
  const Term scaled = it.arity() > 1 ? x * per_channel(it, 1) : x;
  return it.arity() > 2 ? scaled + per_channel(it, 2) : scaled;
}

Term inverse_deviation(const Composite& it, Term variance) {
  return apply(OpKind::Rsqrt, variance + it.attributes().real(AttrKey::Epsilon));
}

// In two sums, each over adjacent axes.
Term mean_of_channels(const Composite& it, Term x) {
  const Shape& shape = it.node.type.shape;
  Ints inner;
  for (std::size_t axis = 2; axis < shape.rank(); ++axis) {
    inner.push_back(static_cast<std::int64_t>(axis));
  }
  const Term of_images = inner.empty() ? x : sum(x, inner);
  const auto count = static_cast<double>(elements(shape)) / static_cast<double>(shape[1]);
  return sum(of_images, {0}) * (1 / count);
}

}  // namespace

// The statistics in the groups' space, the rest in the image's, which what is around the op has too.
Term group_norm(const Composite& it) {
  const Shape& shape = it.node.type.shape;
  const std::int64_t groups = it.attributes().integer(AttrKey::Groups);
  const Term x = it.at(0);
  const Term grouped = apply(OpKind::Reshape, x, {{AttrKey::Shape, Ints{shape[0], groups, -1}}});
  const Term mean = mean_of(grouped, {2});
  const Term variance = mean_of(apply(OpKind::Square, grouped - mean), {2});
  const auto of_channels = [&](Term of_groups) {
    const Term repeated = expand(of_groups, {shape[0], groups, shape[1] / groups});
    return reshape(repeated, with_ones({shape[0], shape[1]}, shape.rank()));
  };
  const Term centered = x - of_channels(mean);
  return scaled_by_channel(it, centered * of_channels(inverse_deviation(it, variance)));
}

Term batch_norm(const Composite& it) {
  const bool is_given = it.arity() > 3;
  const Term x = it.at(0);
  const Term centered = x - (is_given ? per_channel(it, 3) : mean_of_channels(it, x));
  const Term variance = is_given ? per_channel(it, 4) : mean_of_channels(it, apply(OpKind::Square, centered));
  return scaled_by_channel(it, centered * inverse_deviation(it, variance));
}

Term upsample_nearest(const Composite& it) {
  const Term x = it.formula.term(it.operands[0]);
  const Shape shape = x.shape();
  const std::int64_t factor = it.attributes().integer(AttrKey::Factor);
  const Term apart = reshape(x, {shape[0], shape[1], shape[2], 1, shape[3], 1});
  const Term repeated = expand(apart, {shape[0], shape[1], shape[2], factor, shape[3], factor});
  return reshape(repeated, it.node.type.shape);
}

}  // namespace foretell::ir::definitions
