// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "fusion-engine/ir/nearest_value.hpp"
#include "fusion-engine/passes/simplify_rules.hpp"

namespace foretell::passes {
namespace {

using ir::DType;
using ir::Node;
using ir::NodeId;
using ir::OpKind;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The operand where it has the result's shape already, as it has beside a scalar.
Replacement operand_as_is(Simplifier& s, const Node& node, std::size_t i) {
  return s.expanded(node.operands[i], node.type);
}

// What added to any number changes nothing.
double neutral_addend(DType dtype) { return ir::is_float(dtype) ? -0.0 : 0.0; }

// 1 / value where both are powers of two that the type holds: then x / value and x * (1 / value) round the
// same number.
std::optional<double> exact_reciprocal(double value, DType dtype) {
  int exponent = 0;
  if (!ir::is_float(dtype) || std::fabs(std::frexp(value, &exponent)) != 0.5) {
    return std::nullopt;
  }
  const double reciprocal = 1 / value;
  const bool holds = std::isfinite(reciprocal) && ir::nearest_value(reciprocal, dtype) == reciprocal;
  return holds ? std::optional(reciprocal) : std::nullopt;
}

}  // namespace

Replacement simplify_sum(Simplifier& s, const Node& node) {
  if (node.op != OpKind::Add && node.op != OpKind::Sub) {
    return std::nullopt;
  }
  const NodeId a = node.operands[0];
  const NodeId b = node.operands[1];
  const double neutral = neutral_addend(node.type.dtype);
  if (node.op == OpKind::Sub) {
    if (s.is_value(b, 0.0)) {
      return operand_as_is(s, node, 0);  // x - 0 = x
    }
    if (s.is(b, OpKind::Neg)) {
      return s.make(OpKind::Add, {a, s.at(b).operands[0]});  // x - (-y) = x + y
    }
    return std::nullopt;
  }
  if (s.is_value(b, neutral)) {
    return operand_as_is(s, node, 0);  // x + -0 = x; integers: x + 0 = x
  }
  if (s.is_value(a, neutral)) {
    return operand_as_is(s, node, 1);  // -0 + x = x
  }
  if (s.is(b, OpKind::Neg)) {
    return s.make(OpKind::Sub, {a, s.at(b).operands[0]});  // x + (-y) = x - y
  }
  if (s.is(a, OpKind::Neg)) {
    return s.make(OpKind::Sub, {b, s.at(a).operands[0]});  // (-x) + y = y - x
  }
  return std::nullopt;
}

Replacement simplify_product(Simplifier& s, const Node& node) {
  if (node.op != OpKind::Mul && node.op != OpKind::Div) {
    return std::nullopt;
  }
  if (s.is_value(node.operands[1], 1.0)) {
    return operand_as_is(s, node, 0);  // x * 1 = x / 1 = x
  }
  if (node.op == OpKind::Mul) {
    if (s.is_value(node.operands[0], 1.0)) {
      return operand_as_is(s, node, 1);  // 1 * x = x
    }
    return std::nullopt;
  }
  if (const auto divisor = s.value(node.operands[1])) {
    if (const auto factor = exact_reciprocal(*divisor, node.type.dtype)) {
      const NodeId constant = s.constant(*factor, node.type.dtype);
      return s.make(OpKind::Mul, {node.operands[0], constant});  // x / 2^k = x * 2^-k
    }
  }
  return std::nullopt;
}

// pow(x, 0.5) is no sqrt(x): of -0 it is +0, of -inf it is inf.
Replacement simplify_power(Simplifier& s, const Node& node) {
  if (node.op != OpKind::Pow) {
    return std::nullopt;
  }
  if (s.is_value(node.operands[1], 1.0)) {
    return operand_as_is(s, node, 0);  // x^1 = x
  }
  if (s.is_value(node.operands[1], 2.0)) {
    return s.make(OpKind::Square, {node.operands[0]});  // x^2 = x * x
  }
  if (s.is_value(node.operands[1], -1.0)) {
    return s.make(OpKind::Reciprocal, {node.operands[0]});  // x^-1 = 1 / x
  }
  return std::nullopt;
}

Replacement simplify_unary(Simplifier& s, const Node& node) {
  if (node.operands.size() != 1) {
    return std::nullopt;
  }
  const NodeId x = node.operands[0];
  switch (node.op) {
    case OpKind::Neg:
      return s.is(x, OpKind::Neg) ? Replacement(s.at(x).operands[0]) : std::nullopt;  // -(-x) = x
    case OpKind::Not:
      if (s.is(x, OpKind::Not)) {
        return s.at(x).operands[0];  // !!x = x
      }
      if (s.is(x, OpKind::Eq)) {
        return s.make(OpKind::Ne, s.at(x).operands);  // !(a == b) = a != b, also for NaN
      }
      return s.is(x, OpKind::Ne) ? Replacement(s.make(OpKind::Eq, s.at(x).operands)) : std::nullopt;
    case OpKind::Abs:
    case OpKind::Square:
      if (s.is(x, OpKind::Neg) || (node.op == OpKind::Square && s.is(x, OpKind::Abs))) {
        return s.make(node.op, {s.at(x).operands[0]});  // |-x| = |x|, (-x)^2 = |x|^2 = x^2
      }
      return node.op == OpKind::Abs && s.is(x, OpKind::Abs) ? Replacement(x) : std::nullopt;  // ||x|| = |x|
    case OpKind::Relu:
    case OpKind::Floor:
    case OpKind::Ceil:
    case OpKind::Round:
    case OpKind::Sign: return s.is(x, node.op) ? Replacement(x) : std::nullopt;  // f(f(x)) = f(x)
    default: return std::nullopt;
  }
}

Replacement simplify_selection(Simplifier& s, const Node& node) {
  const std::vector<NodeId>& of = node.operands;
  switch (node.op) {
    case OpKind::Where:
      if (of[1] == of[2]) {
        return operand_as_is(s, node, 1);  // c ? a : a = a
      }
      if (const auto condition = s.value(of[0])) {
        return operand_as_is(s, node, *condition != 0 ? 1 : 2);  // true ? a : b = a
      }
      return std::nullopt;
    case OpKind::Maximum:
      if (of[0] == of[1] || s.is_value(of[1], -kInfinity)) {
        return operand_as_is(s, node, 0);  // max(x, x) = max(x, -inf) = x
      }
      return s.is_value(of[0], -kInfinity) ? operand_as_is(s, node, 1) : std::nullopt;
    case OpKind::Minimum:
      if (of[0] == of[1] || s.is_value(of[1], kInfinity)) {
        return operand_as_is(s, node, 0);  // min(x, x) = min(x, inf) = x
      }
      return s.is_value(of[0], kInfinity) ? operand_as_is(s, node, 1) : std::nullopt;
    case OpKind::Clamp:
      if (s.is_value(of[1], -kInfinity)) {
        return s.make(OpKind::Minimum, {of[0], of[2]});  // clamp(x, -inf, b) = min(x, b)
      }
      if (s.is_value(of[2], kInfinity)) {
        return s.make(OpKind::Maximum, {of[0], of[1]});  // clamp(x, a, inf) = max(x, a)
      }
      return std::nullopt;
    default: return std::nullopt;
  }
}

Replacement simplify_logic(Simplifier& s, const Node& node) {
  if (node.op != OpKind::And && node.op != OpKind::Or && node.op != OpKind::Xor) {
    return std::nullopt;
  }
  if (node.operands[0] == node.operands[1] && node.op != OpKind::Xor) {
    return node.operands[0];  // x & x = x | x = x
  }
  const double neutral = node.op == OpKind::And ? 1.0 : 0.0;
  for (const std::size_t i : {0U, 1U}) {
    if (s.is_value(node.operands[i], neutral)) {
      return operand_as_is(s, node, 1 - i);  // x & true = x | false = x ^ false = x
    }
  }
  return std::nullopt;
}

Replacement simplify_cast(Simplifier& s, const Node& node) {
  if (node.op != OpKind::Cast) {
    return std::nullopt;
  }
  const NodeId x = node.operands[0];
  if (s.at(x).type.dtype == node.type.dtype) {
    return x;  // T(x) = x for an x of T
  }
  if (s.is(x, OpKind::Cast)) {
    const NodeId origin = s.at(x).operands[0];
    if (ir::holds_exactly(s.at(x).type.dtype, s.at(origin).type.dtype)) {
      return s.make(OpKind::Cast, {origin}, node.attributes);  // T(wide(x)) = T(x)
    }
  }
  return std::nullopt;
}

// f(expand(x), y) = f(x, y) where y has the extents already.
Replacement drop_expand(Simplifier& s, const Node& node) {
  if (!ir::is_elementwise(node.op)) {
    return std::nullopt;
  }
  for (std::size_t i = 0; i < node.operands.size(); ++i) {
    if (!s.is(node.operands[i], OpKind::Expand)) {
      continue;
    }
    std::vector<NodeId> operands = node.operands;
    operands[i] = s.at(operands[i]).operands[0];
    std::optional<ir::Shape> shape = ir::Shape();
    for (const NodeId operand : operands) {
      shape = ir::broadcast(*shape, s.at(operand).type.shape);
    }
    if (shape == node.type.shape) {
      return s.make(node.op, std::move(operands), node.attributes);
    }
  }
  return std::nullopt;
}

}  // namespace foretell::passes
