// SPDX-License-Identifier: Apache-2.0
// Reductions: the cotangent goes to every element that was reduced.
#include "fusion-engine/passes/vjp.hpp"

namespace foretell::passes {
namespace {

using ir::Term;
using enum ir::OpKind;

// Of the reduced axes, with extent 1: broadcasts against the operand.
ir::Shape kept_shape(const Vjp& it) {
  ir::Shape shape = it.a.shape();
  for (const std::int64_t axis : ir::reduced_axes(it.node)) {
    shape[static_cast<std::size_t>(axis)] = 1;
  }
  return shape;
}

// Elements that one of the result is the reduction of.
double count(const Vjp& it) {
  double elements = 1;
  for (const std::int64_t axis : ir::reduced_axes(it.node)) {
    elements *= static_cast<double>(it.a.shape()[static_cast<std::size_t>(axis)]);
  }
  return elements;
}

Term spread(const Vjp& it, Term share) { return expand(share, ir::Shape(it.a.shape())); }

Term sum_vjp(const Vjp& it) { return spread(it, reshape(it.dy, kept_shape(it))); }

Term mean_vjp(const Vjp& it) { return spread(it, scaled(reshape(it.dy, kept_shape(it)), 1 / count(it))); }

// 2 (x - mean(x)) / (n - correction)
Term var_vjp(const Vjp& it) {
  const ir::DType wide = ir::compute_type(it.a.dtype());
  const auto correction = static_cast<double>(it.attributes().integer(ir::AttrKey::Correction));
  const Term share = cast(reshape(it.dy, kept_shape(it)), wide) * (2 / (count(it) - correction));
  const Term x = cast(it.a, wide);
  const Term centered = x - reduce(Mean, x, ir::reduced_axes(it.node));
  return cast(centered * share, it.a.dtype());
}

// Of amax and amin: among all that attain it.
Term extreme_vjp(const Vjp& it) {
  const ir::Shape kept = kept_shape(it);
  const Term attains = apply(Eq, {it.a, reshape(it.y, kept)});
  const Term winners = sum(cast(attains, it.a.dtype()), ir::reduced_axes(it.node));
  const Term share = reshape(it.dy, kept) / winners;
  return select(attains, share, it.formula.constant(0, it.a.dtype()));
}

constexpr VjpRow kRows[]{
    {Sum, {sum_vjp}}, {Mean, {mean_vjp}}, {Amax, {extreme_vjp}}, {Amin, {extreme_vjp}}, {Var, {var_vjp}},
};

}  // namespace

std::span<const VjpRow> reduction_vjps() { return kRows; }

}  // namespace foretell::passes
