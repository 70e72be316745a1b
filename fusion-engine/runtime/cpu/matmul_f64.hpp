// SPDX-License-Identifier: Apache-2.0
// Products of f64 matrices, which the library (oneDNN) does not have.
#pragma once

#include <cstdint>

namespace foretell::runtime::cpu {

// A matrix in memory, as a reading: strides in elements.
struct MatrixF64 {
  const double* data = nullptr;
  std::int64_t row_stride = 0;
  std::int64_t column_stride = 0;
};

// c = a * b, with c of `m` rows `n` columns, `c_row_stride` elements apart; k >= 1. Any strides of a and b.
// The order in which an element's products are added depends on k alone.
void multiply_f64(std::int64_t m, std::int64_t n, std::int64_t k, const MatrixF64& a, const MatrixF64& b,
                  double* c, std::int64_t c_row_stride);

}  // namespace foretell::runtime::cpu
