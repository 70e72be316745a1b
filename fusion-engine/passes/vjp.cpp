// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/passes/vjp.hpp"

#include <algorithm>
#include <cstddef>

#include "fusion-engine/ir/nearest_value.hpp"

namespace foretell::passes {
namespace {

using enum ir::OpKind;

constexpr ir::OpKind kStoppingOps[]{
    Sign,         Floor,    Ceil, Round,  // constant but for jumps
    Eq,           Ne,       Lt,   Le,
    Gt,           Ge,                   // give bools
    Not,          And,      Or,   Xor,  // take them, too
    Argmax,                             // gives an integer
    Input,        Constant, Iota, RandomUniform,
    RandomNormal,  // have no operands
};

}  // namespace

VjpRule VjpRow::rule_of(std::size_t operand) const {
  const auto last =
      std::ranges::find_if(rules.rbegin(), rules.rend(), [](VjpRule rule) { return rule != nullptr; });
  const auto count = static_cast<std::size_t>(rules.rend() - last);
  return rules[std::min(operand, count - 1)];
}

std::span<const ir::OpKind> stopping_ops() { return kStoppingOps; }

const VjpRow* find_vjp(ir::OpKind op) {
  for (const auto rows :
       {elementwise_vjps(), reduction_vjps(), product_vjps(), movement_vjps(), composite_vjps()}) {
    if (const auto row = std::ranges::find(rows, op, &VjpRow::op); row != rows.end()) {
      return &*row;
    }
  }
  return nullptr;
}

ir::Term sum_to(ir::Term a, const ir::Shape& shape) {
  const ir::Shape from = a.shape();
  const std::size_t leading = from.rank() - shape.rank();
  ir::Ints axes;
  for (std::size_t i = 0; i < from.rank(); ++i) {
    if (from[i] != 1 && (i < leading || shape[i - leading] == 1)) {
      axes.push_back(static_cast<std::int64_t>(i));
    }
  }
  if (axes.empty()) {
    return reshape(a, shape);
  }
  const bool only_leading = axes.size() == leading && static_cast<std::size_t>(axes.back()) < leading;
  return reshape(reduce(ir::OpKind::Sum, a, axes, !only_leading), shape);
}

ir::Term scaled(ir::Term a, double factor) {
  const ir::DType dtype = a.dtype();
  if (ir::nearest_value(factor, dtype) == factor) {
    return a * factor;
  }
  return cast(cast(a, ir::compute_type(dtype)) * factor, dtype);
}

ir::Term product(ir::Term a, ir::Term b, bool transpose_a, bool transpose_b) {
  return apply(Matmul, {a, b},
               {{ir::AttrKey::TransposeA, transpose_a}, {ir::AttrKey::TransposeB, transpose_b}});
}

}  // namespace foretell::passes
