// SPDX-License-Identifier: Apache-2.0
// Means, the variance, and the norms of the last axis.
#include "fusion-engine/ir/decomposition_rules.hpp"

namespace foretell::ir::definitions {
namespace {

// A row as a norm makes it before the weight: centered * scale.
struct Normalized {
  Term centered;
  Term scale;  // one over the root of the centered values' mean square and epsilon
};

Normalized normalized(const Composite& it, Term centered, std::int64_t axis) {
  const Term power = mean_of(apply(OpKind::Square, centered), {axis});
  return {.centered = centered,
          .scale = apply(OpKind::Rsqrt, power + it.attributes().real(AttrKey::Epsilon))};
}
Normalized by_layer(const Composite& it) {
  const Term x = it.at(0);
  const std::int64_t axis = last_axis(x);
  return normalized(it, x - mean_of(x, {axis}), axis);
}
Normalized by_power(const Composite& it) {
  const Term x = it.at(0);
  return normalized(it, x, last_axis(x));
}

// What the cotangent, times the weight, leaves of itself: without its share along the row.
Term row_grad(const Composite& it, const Normalized& row, bool is_centered) {
  const Term row_values = row.centered * row.scale;
  const Ints axes{last_axis(row_values)};
  const Term dy = it.at(1);
  const Term given = it.arity() > 2 ? dy * it.at(2) : dy;
  const Term along = mean_of(given * row_values, axes);
  const Term level = is_centered ? given - mean_of(given, axes) : given;
  return (level - row_values * along) * row.scale;
}

// The sum over all rows of the cotangent, times the rows.
Term weight_grad(const Composite& it, const Normalized& row) {
  const Term row_values = row.centered * row.scale;
  const Term products = it.at(1) * row_values;
  Ints axes;
  for (std::int64_t axis = 0; axis < last_axis(products); ++axis) {
    axes.push_back(axis);
  }
  return axes.empty() ? products : reduce(OpKind::Sum, products, axes, false);
}

}  // namespace

double count_of(const Shape& shape, const Ints& axes) {
  double count = 1;
  for (const std::int64_t axis : axes) {
    count *= static_cast<double>(shape[static_cast<std::size_t>(axis)]);
  }
  return count;
}

Term mean_of(Term x, const Ints& axes) {
  const double count = count_of(x.shape(), axes);
  return sum(x, axes) * (1 / count);
}

Term mean(const Composite& it) {
  const Ints& axes = it.attributes().ints(AttrKey::Axes);
  const Term x = it.at(0);
  const double count = count_of(x.shape(), axes);
  return reduce(OpKind::Sum, x, axes, it.attributes().flag(AttrKey::KeepDims)) * (1 / count);
}

Term variance(const Composite& it) {
  const Term x = it.at(0);
  const Ints& axes = it.attributes().ints(AttrKey::Axes);
  const double count = count_of(x.shape(), axes);
  const auto correction = static_cast<double>(it.attributes().integer(AttrKey::Correction));
  const Term squares = apply(OpKind::Square, x - mean_of(x, axes));
  return reduce(OpKind::Sum, squares, axes, it.attributes().flag(AttrKey::KeepDims)) *
         (1 / (count - correction));
}

Term layer_norm(const Composite& it) {
  const Normalized row = by_layer(it);
  Term result = row.centered * row.scale;
  result = it.arity() > 1 ? result * it.at(1) : result;
  return it.arity() > 2 ? result + it.at(2) : result;
}
Term layer_norm_grad(const Composite& it) { return row_grad(it, by_layer(it), true); }
Term layer_norm_weight_grad(const Composite& it) { return weight_grad(it, by_layer(it)); }

Term rms_norm(const Composite& it) {
  const Normalized row = by_power(it);
  const Term result = row.centered * row.scale;
  return it.arity() > 1 ? result * it.at(1) : result;
}
Term rms_norm_grad(const Composite& it) { return row_grad(it, by_power(it), false); }
Term rms_norm_weight_grad(const Composite& it) { return weight_grad(it, by_power(it)); }

}  // namespace foretell::ir::definitions
