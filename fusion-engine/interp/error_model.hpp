// SPDX-License-Identifier: Apache-2.0
// What the error bounds assume about an implementation. docs/engine-numerics.md explains the model.
#pragma once

#include <limits>

#include "fusion-engine/interp/interpreter.hpp"
#include "fusion-engine/ir/dtype.hpp"
#include "fusion-engine/ir/op_table.hpp"

namespace foretell::interp {

inline constexpr double kUndetermined = std::numeric_limits<double>::infinity();

// Error of one elementwise op in units of |result| * unit roundoff: 1 where IEEE 754 rounds correctly, else
// two per ulp, as an ulp is up to twice the unit roundoff relative to the number.
inline double rounding_units(ir::OpKind op) {
  const ir::OpInfo& row = ir::info(op);
  return row.evaluation == ir::Evaluation::Rounded ? 1.0 : 2.0 * row.ulp;
}

// The sizes of roundings of values of one dtype.
struct Rounding {
  double unit = 0;      // of one op, in the type it computes in
  double store = 0;     // of a result narrower than that type
  double smallest = 0;  // absolute error where the result is subnormal
  double largest = 0;   // largest finite value; beyond it an implementation gives an infinity
};
// All 0 (and `largest` infinite) for integers and bool.
Rounding rounding(ir::DType dtype);

// The bound of a rounded result: `deviation` comes from the operands, `units` from the op itself.
double rounded_bound(double result, double deviation, double units, const Rounding& rounding);

// The bound of a sum of `terms` numbers (or products of two) in any order: `size` is the sum of their
// magnitudes, `deviation` that of their bounds. Accumulated in the type the dtype computes in, rounded to the
// dtype once.
double sum_bound(double result, double size, double deviation, std::int64_t terms, const Rounding& rounding);

}  // namespace foretell::interp
