// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "fusion-engine/interp/error_model.hpp"
#include "fusion-engine/interp/evaluate_node.hpp"
#include "fusion-engine/ir/nearest_value.hpp"

namespace foretell::interp {

namespace {

// To f64 with "round to odd", which a second rounding to a narrow type does not notice (nearest_value.cpp).
double to_odd_f64(std::int64_t value) {
  const std::uint64_t size =
      value < 0 ? 0U - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
  const int excess = std::max(0, 64 - std::countl_zero(size) - ir::info(ir::DType::F64).digits);
  const std::uint64_t kept = size >> excess;
  const bool lost = kept << excess != size;
  const double odd = std::ldexp(static_cast<double>(kept | (lost ? 1U : 0U)), excess);
  return value < 0 ? -odd : odd;
}

// In one rounding, to nearest.
double to_float(std::int64_t value, ir::DType to) {
  switch (to) {
    case ir::DType::F32: return static_cast<double>(static_cast<float>(value));
    case ir::DType::F64: return static_cast<double>(value);
    default: return ir::nearest_value(to_odd_f64(value), to);
  }
}

// Of a rounded value: both it and the implementation's are rounded, possibly to different neighbours.
double rounded_cast_bound(double rounded, double operand_bound, ir::DType from, ir::DType to) {
  double bound = operand_bound;
  // A wide type may be narrowed by way of f32: a tie of the second rounding can be the work of the first.
  if (ir::compute_type(to) != to &&
      (from == ir::DType::F64 || from == ir::DType::I32 || from == ir::DType::I64)) {
    bound += ir::info(ir::DType::F32).unit_roundoff() * std::fabs(rounded);
  }
  return bound == 0 ? 0
                    : bound + 2 * (ir::info(to).unit_roundoff() * (std::fabs(rounded) + bound) +
                                   rounding(to).smallest);
}

double float_bound(double value, double operand_bound, bool rounds, ir::DType from, ir::DType to) {
  if (!std::isfinite(value)) {
    return operand_bound == 0 ? 0 : kUndetermined;
  }
  const double bound = rounds ? rounded_cast_bound(value, operand_bound, from, to) : operand_bound;
  return bound <= rounding(to).largest - std::fabs(value) ? bound : kUndetermined;
}

}  // namespace

std::int64_t wrap_to(std::int64_t value, ir::DType dtype) {
  switch (dtype) {
    case ir::DType::I32: return static_cast<std::int32_t>(static_cast<std::uint32_t>(value));
    case ir::DType::Bool: return value != 0 ? 1 : 0;
    default: return value;
  }
}

Value evaluate_cast(const ir::Node& node, const Value& operand, const EvaluateOptions& options) {
  Value out = make_value(node.type, options);
  const ir::DType to = node.type.dtype;
  const ir::DType from = operand.type.dtype;
  const bool rounds = !ir::holds_exactly(to, from);
  const auto count = static_cast<std::size_t>(ir::elements(node.type.shape));
  for (std::size_t i = 0; i < count; ++i) {
    const double bound = options.bounds ? operand.bounds[i] : 0;
    double out_bound = bound;
    if (ir::is_float(to)) {
      if (!ir::is_float(from)) {
        out.reals[i] = to_float(operand.integers[i], to);
      } else {
        out.reals[i] = rounds ? ir::nearest_value(operand.reals[i], to) : operand.reals[i];
      }
      if (options.bounds) {
        out_bound = float_bound(out.reals[i], bound, rounds, from, to);
      }
    } else if (!ir::is_float(from)) {
      out.integers[i] = wrap_to(operand.integers[i], to);
    } else {
      const auto convert = [to](double x) {
        return to == ir::DType::Bool ? static_cast<std::int64_t>(x != 0) : ir::nearest_integer(x, to);
      };
      const double value = operand.reals[i];
      out.integers[i] = convert(value);
      const bool differs = convert(value - bound) != out.integers[i] ||
                           convert(value + bound) != out.integers[i] ||
                           (to == ir::DType::Bool && std::fabs(value) <= bound && bound > 0);
      out_bound = bound == kUndetermined || differs ? kUndetermined : 0;
    }
    if (options.bounds) {
      out.bounds[i] = out_bound;
    }
  }
  return out;
}

}  // namespace foretell::interp
