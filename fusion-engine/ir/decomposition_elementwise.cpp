// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <numbers>

#include "fusion-engine/ir/decomposition_rules.hpp"

namespace foretell::ir::definitions {
namespace {

constexpr double kCubeShare = 0.044715;  // of gelu's approximation
constexpr double kInnerScale = std::numbers::sqrt2 * std::numbers::inv_sqrtpi;

Term uniform(const Composite& it, std::int64_t seed) {
  const Shape& shape = it.node.type.shape;
  return it.formula.add(OpKind::RandomUniform, {},
                        {{AttrKey::Shape, Ints(shape.begin(), shape.end())},
                         {AttrKey::To, it.wide},
                         {AttrKey::Seed, seed},
                         {AttrKey::Counter, it.attributes().integer(AttrKey::Counter)}});
}

// Of x that passes, times 2, minus 1.
Term gelu_share(const Composite& it, Term x) {
  if (it.attributes().flag(AttrKey::Approximate)) {
    const Term cube = apply(OpKind::Square, x) * x;
    const Term inner = x + cube * kCubeShare;
    return apply(OpKind::Tanh, inner * kInnerScale);
  }
  return apply(OpKind::Erf, x * (1 / std::numbers::sqrt2));
}

}  // namespace

Term gelu(const Composite& it) {
  const Term x = it.at(0);
  const Term share = gelu_share(it, x);
  const Term half = x * 0.5;
  return half * (share + 1);
}

// The derivative of x / 2 * (1 + share) is (1 + share) / 2 + x / 2 * share'.
Term gelu_grad(const Composite& it) {
  const Term x = it.at(0);
  const Term share = gelu_share(it, x);
  const Term passes = (share + 1) * 0.5;
  const Term square = apply(OpKind::Square, x);
  Term slope{};
  if (it.attributes().flag(AttrKey::Approximate)) {
    const Term inner = square * (3 * kCubeShare * kInnerScale / 2) + kInnerScale / 2;
    slope = inner * (1 - apply(OpKind::Square, share));
  } else {
    slope = apply(OpKind::Exp, square * -0.5) * (std::numbers::inv_sqrtpi / std::numbers::sqrt2);
  }
  const Term derivative = passes + x * slope;
  return it.at(1) * derivative;
}

Term silu(const Composite& it) {
  const Term x = it.at(0);
  return x * apply(OpKind::Sigmoid, x);
}

// s (1 + x (1 - s))
Term silu_grad(const Composite& it) {
  const Term x = it.at(0);
  const Term share = apply(OpKind::Sigmoid, x);
  const Term slope = share * (x * (1 - share) + 1);
  return it.at(1) * slope;
}

Term dropout(const Composite& it) {
  const double probability = it.attributes().real(AttrKey::Probability);
  const Term random = uniform(it, it.attributes().integer(AttrKey::Seed));
  const Term keeps = apply(OpKind::Ge, {random, it.number(probability)});
  const Term scaled = it.at(0) * (1 / (1 - probability));
  return select(keeps, scaled, it.number(0));
}

Term random_normal(const Composite& it) {
  // The golden ratio in 64 bits, as in SplitMix64: a stream of its own for the second number.
  constexpr std::uint64_t kSecondStream = 0x9E3779B97F4A7C15U;
  const std::int64_t seed = it.attributes().integer(AttrKey::Seed);
  const Term u1 = uniform(it, seed);
  const Term u2 = uniform(it, static_cast<std::int64_t>(static_cast<std::uint64_t>(seed) ^ kSecondStream));
  const Term radius = apply(OpKind::Sqrt, apply(OpKind::Log, it.number(1) - u1) * -2);
  return radius * apply(OpKind::Cos, u2 * (2 * std::numbers::pi));
}

}  // namespace foretell::ir::definitions
