// SPDX-License-Identifier: Apache-2.0
// How a (batched) matrix product is shared by a team: equal blocks of the result, one thread to each.
#pragma once

#include <cstdint>

#include "fusion-engine/ir/graph.hpp"
#include "fusion-engine/runtime/cpu/tensor.hpp"

namespace foretell::runtime::cpu {

// Two axes of an operand, strides in elements.
struct MatrixLayout {
  std::int64_t row_stride = 0;
  std::int64_t column_stride = 0;
  friend bool operator==(const MatrixLayout&, const MatrixLayout&) = default;
};

struct MatmulBlocks {
  std::int64_t batch = 1;
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  MatrixLayout a;
  MatrixLayout b;
  ir::Dims batch_shape;
  ir::Dims a_batch_strides;  // 0 where broadcast
  ir::Dims b_batch_strides;
  std::int64_t block_m = 0;
  std::int64_t block_n = 0;

  std::int64_t row_blocks() const { return (m + block_m - 1) / block_m; }
  std::int64_t column_blocks() const { return (n + block_n - 1) / block_n; }
  std::int64_t units() const { return batch * row_blocks() * column_blocks(); }

  struct Block {
    std::int64_t m = 0;
    std::int64_t n = 0;
    std::int64_t a_offset = 0;  // elements
    std::int64_t b_offset = 0;
    std::int64_t c_offset = 0;
  };
  Block block(std::int64_t unit) const;
};

// Of a dense result. `a` and `b` as the op's operands, of rank 2 at least, transposes as the op's attributes.
MatmulBlocks make_matmul_blocks(const Tensor& a, const Tensor& b, bool transpose_a, bool transpose_b,
                                const ir::Shape& result, int team_size);

// Whether each row or each column is contiguous and they don't overlap: what the library takes.
bool is_library_layout(const MatrixLayout& layout, std::int64_t rows, std::int64_t columns);

}  // namespace foretell::runtime::cpu
