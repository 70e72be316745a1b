// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "fusion-engine/ir/nearest_value.hpp"
#include "fusion-engine/passes/simplify_rules.hpp"

namespace foretell::passes {
namespace {

using ir::OpKind;

// Ops whose result every executor gives to the bit: exact ones and those that IEEE 754 rounds correctly. The
// meaning is that of ir/op_rows.inc.
std::optional<double> evaluate(OpKind op, const std::vector<double>& of) {
  switch (op) {
    case OpKind::Neg: return -of[0];
    case OpKind::Abs: return std::fabs(of[0]);
    case OpKind::Floor: return std::floor(of[0]);
    case OpKind::Ceil: return std::ceil(of[0]);
    case OpKind::Sqrt: return std::sqrt(of[0]);
    case OpKind::Square: return of[0] * of[0];
    case OpKind::Relu: return of[0] < 0 ? 0.0 : of[0];
    case OpKind::Not: return of[0] == 0;
    case OpKind::Add: return of[0] + of[1];
    case OpKind::Sub: return of[0] - of[1];
    case OpKind::Mul: return of[0] * of[1];
    case OpKind::Div: return of[0] / of[1];
    case OpKind::Eq: return of[0] == of[1];
    case OpKind::Ne: return of[0] != of[1];
    case OpKind::Lt: return of[0] < of[1];
    case OpKind::Le: return of[0] <= of[1];
    case OpKind::Gt: return of[0] > of[1];
    case OpKind::Ge: return of[0] >= of[1];
    case OpKind::And: return of[0] != 0 && of[1] != 0;
    case OpKind::Or: return of[0] != 0 || of[1] != 0;
    case OpKind::Xor: return (of[0] != 0) != (of[1] != 0);
    case OpKind::Cast: return of[0];
    default: return std::nullopt;
  }
}

// Beyond 2^53 an i64 is rounded where it is read as a float.
bool is_exact_integer(double value) { return std::fabs(value) <= 0x1p53; }

}  // namespace

Replacement fold_constants(Simplifier& s, const ir::Node& node) {
  if (!ir::is_elementwise(node.op) && node.op != OpKind::Cast) {
    return std::nullopt;
  }
  std::vector<double> values;
  for (const ir::NodeId operand : node.operands) {
    const auto value = s.value(operand);
    if (!value.has_value()) {
      return std::nullopt;
    }
    values.push_back(*value);
  }
  const ir::DType from = s.at(node.operands[0]).type.dtype;
  const ir::DType to = node.type.dtype;
  if (ir::is_integer(from) && ir::is_integer(to) && node.op != OpKind::Cast) {
    return std::nullopt;  // it wraps around
  }
  const bool narrows = node.op == OpKind::Cast && ir::is_integer(to);
  const auto result = evaluate(node.op, values);
  if (!result.has_value() ||
      (narrows && (ir::nearest_value(*result, to) != *result || !is_exact_integer(*result)))) {
    return std::nullopt;  // outside of the type's range casts differ
  }
  return s.constant(*result, to);
}

}  // namespace foretell::passes
