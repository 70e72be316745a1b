// SPDX-License-Identifier: Apache-2.0
// How accurate an implementation of an elementwise op has to be: what kernels are tested against, and what
// the error bounds of the interpreter assume.
#pragma once

#include "fusion-engine/ir/op_table.hpp"

namespace foretell::ir {

// Largest error of one elementwise op in units in the last place of the type it computes in (f32 or f64),
// over all finite operands with a finite result.
//   0   exact: no rounding takes place (sign changes, selections, rounding to an integer, comparisons).
//   1   arithmetic that IEEE 754 rounds correctly (half an ulp; +, -, *, /, sqrt, fma), and one division for
//   a
//       reciprocal. One ulp leaves room for a reciprocal refined by Newton's step.
//   2   rsqrt: a square root and a division, each rounded.
//   4   vector routines: argument reduction and a polynomial of minimax error below one ulp. The same limit
//   as the
//       low-accuracy variants of vendors' vector libraries (Intel SVML _la: 4 ulp; glibc libmvec: 4 ulp).
//   16  pow: exp(b * log(a)); the error of the logarithm is multiplied by the size of the exponent's
//   argument.
// An op without a case is taken for a vector routine: a new row has to be listed to claim more.
constexpr int max_ulp(OpKind op) {
  switch (op) {
    case OpKind::Neg:
    case OpKind::Abs:
    case OpKind::Sign:
    case OpKind::Floor:
    case OpKind::Ceil:
    case OpKind::Round:
    case OpKind::Relu:
    case OpKind::Not:
    case OpKind::Maximum:
    case OpKind::Minimum:
    case OpKind::Eq:
    case OpKind::Ne:
    case OpKind::Lt:
    case OpKind::Le:
    case OpKind::Gt:
    case OpKind::Ge:
    case OpKind::And:
    case OpKind::Or:
    case OpKind::Xor:
    case OpKind::Where:
    case OpKind::Clamp: return 0;
    case OpKind::Add:
    case OpKind::Sub:
    case OpKind::Mul:
    case OpKind::Div:
    case OpKind::Square:
    case OpKind::Sqrt:
    case OpKind::Fma:
    case OpKind::Reciprocal: return 1;
    case OpKind::Rsqrt: return 2;
    case OpKind::Pow: return 16;
    default: return 4;
  }
}

}  // namespace foretell::ir
