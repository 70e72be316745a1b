// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/runtime/cpu/matmul_f64.hpp"

#include <algorithm>
#include <cstring>

#include "fusion-engine/runtime/cpu/kernel.hpp"

namespace foretell::runtime::cpu {
namespace {

// Goto and van de Geijn, Anatomy of high-performance matrix multiplication (ACM TOMS 34(3), 2008): a panel of
// b, packed, stays in the L1 cache while tiles of c are held in registers.
constexpr int kTileRows = 6;  // times two vectors: 12 sums, which covers the latency of a multiply-add
constexpr std::int64_t kDepth = 256;  // of a panel: 2 KiB a column

#define FORETELL_INLINE inline __attribute__((always_inline))  // takes the instruction set of the caller

template <int kBytes>
struct Vector {
  typedef double Type __attribute__((vector_size(kBytes), aligned(8), may_alias));
  static constexpr int kLanes = kBytes / 8;
  static constexpr int kColumns = 2 * kLanes;  // of a tile
};

// Rows [0, kRows) of a tile: c (+)= a * panel.
template <int kBytes, int kRows>
FORETELL_INLINE void multiply_tile(std::int64_t depth, const double* a, std::int64_t a_row,
                                   std::int64_t a_column, const double* panel, double* c, std::int64_t c_row,
                                   std::int64_t columns, bool first) {
  using V = Vector<kBytes>;
  typename V::Type sums[kRows][2] = {};
  for (std::int64_t p = 0; p < depth; ++p) {
    const auto b0 = *reinterpret_cast<const typename V::Type*>(panel + p * V::kColumns);
    const auto b1 = *reinterpret_cast<const typename V::Type*>(panel + p * V::kColumns + V::kLanes);
#pragma GCC unroll 6
    for (int row = 0; row < kRows; ++row) {
      const double scale = a[row * a_row + p * a_column];
      sums[row][0] += scale * b0;
      sums[row][1] += scale * b1;
    }
  }
  for (int row = 0; row < kRows; ++row) {
    double line[V::kColumns];
    std::memcpy(line, sums[row], sizeof line);
    double* const to = c + row * c_row;
    for (std::int64_t column = 0; column < columns; ++column) {
      to[column] = first ? line[column] : to[column] + line[column];
    }
  }
}

template <int kBytes>
FORETELL_INLINE void multiply(std::int64_t m, std::int64_t n, std::int64_t k, const MatrixF64& a,
                              const MatrixF64& b, double* c, std::int64_t c_row) {
  constexpr std::int64_t kColumns = Vector<kBytes>::kColumns;
  alignas(64) double panel[kDepth * kColumns];
  for (std::int64_t p0 = 0; p0 < k; p0 += kDepth) {
    const std::int64_t depth = std::min(kDepth, k - p0);
    for (std::int64_t j0 = 0; j0 < n; j0 += kColumns) {
      const std::int64_t columns = std::min(kColumns, n - j0);
      for (std::int64_t p = 0; p < depth; ++p) {
        const double* const from = b.data + (p0 + p) * b.row_stride + j0 * b.column_stride;
        for (std::int64_t j = 0; j < kColumns; ++j) {
          panel[p * kColumns + j] = j < columns ? from[j * b.column_stride] : 0.0;
        }
      }
      const double* const a0 = a.data + p0 * a.column_stride;
      std::int64_t i = 0;
      for (; i + kTileRows <= m; i += kTileRows) {
        multiply_tile<kBytes, kTileRows>(depth, a0 + i * a.row_stride, a.row_stride, a.column_stride, panel,
                                         c + i * c_row + j0, c_row, columns, p0 == 0);
      }
      for (; i < m; ++i) {
        multiply_tile<kBytes, 1>(depth, a0 + i * a.row_stride, a.row_stride, a.column_stride, panel,
                                 c + i * c_row + j0, c_row, columns, p0 == 0);
      }
    }
  }
}

#undef FORETELL_INLINE

#if defined(__x86_64__)
__attribute__((target("avx512f,avx512dq,avx512vl,fma"))) void multiply_512(std::int64_t m, std::int64_t n,
                                                                           std::int64_t k, const MatrixF64& a,
                                                                           const MatrixF64& b, double* c,
                                                                           std::int64_t c_row) {
  multiply<64>(m, n, k, a, b, c, c_row);
}
__attribute__((target("avx2,fma"))) void multiply_256(std::int64_t m, std::int64_t n, std::int64_t k,
                                                      const MatrixF64& a, const MatrixF64& b, double* c,
                                                      std::int64_t c_row) {
  multiply<32>(m, n, k, a, b, c, c_row);
}
#endif

}  // namespace

void multiply_f64(std::int64_t m, std::int64_t n, std::int64_t k, const MatrixF64& a, const MatrixF64& b,
                  double* c, std::int64_t c_row_stride) {
#if defined(__x86_64__)
  if (kernel_vector_bytes() >= 64) {
    return multiply_512(m, n, k, a, b, c, c_row_stride);
  }
  if (kernel_vector_bytes() >= 32) {
    return multiply_256(m, n, k, a, b, c, c_row_stride);
  }
#endif
  multiply<16>(m, n, k, a, b, c, c_row_stride);
}

}  // namespace foretell::runtime::cpu
