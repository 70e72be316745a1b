// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <utility>

#include "fusion-engine/ir/nearest_value.hpp"
#include "fusion-engine/ir/scalar_math.hpp"
#include "fusion-engine/passes/simplify_rules.hpp"

namespace foretell::passes {
namespace {

using ir::DType;
using ir::OpKind;
using ir::TypeRule;
using ir::scalar::Integer;
using Values = std::vector<double>;

template <class T>
T scalar(double value) {
  if constexpr (std::is_same_v<T, Integer>) {
    return {ir::nearest_integer(value, DType::I64)};
  } else if constexpr (std::is_same_v<T, bool>) {
    return value != 0;
  } else {
    return static_cast<T>(value);
  }
}

// An operand that the op lacks is its first one again: the expression doesn't name it.
template <class A, class B, class Function>
double apply(const Values& of, Function function) {
  const auto b = scalar<B>(of[of.size() > 1 ? 1 : 0]);
  const auto c = scalar<B>(of[of.size() > 2 ? 2 : 0]);
  const auto result = function(scalar<A>(of[0]), b, c);
  if constexpr (std::is_same_v<decltype(result), const Integer>) {
    return static_cast<double>(result.value);
  } else {
    return static_cast<double>(result);
  }
}

// In the type that kernels compute in, so that there is nothing to differ. `dtype` is that of the last
// operand.
template <TypeRule kRule, class Function>
double apply(DType dtype, const Values& of, Function function) {
  const bool wide = dtype == DType::F64;
  if constexpr (kRule == TypeRule::Float) {
    return wide ? apply<double, double>(of, function) : apply<float, float>(of, function);
  } else if constexpr (kRule == TypeRule::Logical) {
    return apply<bool, bool>(of, function);
  } else if constexpr (kRule == TypeRule::Select) {
    if (!ir::is_float(dtype)) {
      return apply<bool, Integer>(of, function);
    }
    return wide ? apply<bool, double>(of, function) : apply<bool, float>(of, function);
  } else {
    if (!ir::is_float(dtype)) {
      return apply<Integer, Integer>(of, function);
    }
    return wide ? apply<double, double>(of, function) : apply<float, float>(of, function);
  }
}

// nullopt for vector routines, which executors are free to approximate.
std::optional<double> evaluate(OpKind op, DType dtype, const Values& of) {
  switch (op) {
    case OpKind::Cast: return of[0];
#define FORETELL_ELEMENTWISE(kind, name, arity, types, expression, flops, ulp, evaluation, course) \
  case OpKind::kind:                                                                               \
    if constexpr (ir::Evaluation::evaluation != ir::Evaluation::Routine) {                         \
      return apply<TypeRule::types>(dtype, of, ir::scalar::rows::kind{});                          \
    }                                                                                              \
    return std::nullopt;
#include "fusion-engine/ir/op_rows.inc"
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
  Values values;
  for (const ir::NodeId operand : node.operands) {
    const auto value = s.value(operand);
    if (!value.has_value()) {
      return std::nullopt;
    }
    values.push_back(*value);
  }
  const DType from = s.at(node.operands[0]).type.dtype;
  const DType to = node.type.dtype;
  if (ir::is_integer(from) && ir::is_integer(to) && node.op != OpKind::Cast) {
    return std::nullopt;  // it wraps around
  }
  const bool narrows = node.op == OpKind::Cast && ir::is_integer(to);
  const auto result = evaluate(node.op, s.at(node.operands.back()).type.dtype, values);
  if (!result.has_value() ||
      (narrows && (ir::nearest_value(*result, to) != *result || !is_exact_integer(*result)))) {
    return std::nullopt;  // outside of the type's range casts differ
  }
  if (from == DType::F64 && ir::compute_type(to) == DType::F32 &&
      ir::nearest_value(ir::nearest_value(*result, DType::F32), to) != ir::nearest_value(*result, to)) {
    return std::nullopt;  // kernels may go by way of f32, and round twice
  }
  return s.constant(*result, to);
}

}  // namespace foretell::passes
