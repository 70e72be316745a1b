// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/runtime/cpu/matmul_blocks.hpp"

#include <algorithm>
#include <numeric>

namespace foretell::runtime::cpu {
namespace {

// A block should do at least this many multiply-adds: about 2 us of a core with 16 lanes at 2 GHz, several
// times what calling the library costs.
constexpr std::int64_t kLeastWork = 1 << 16;
constexpr std::int64_t kColumnGrain = 16;  // f32 elements of a 64-byte vector

MatrixLayout layout_of(const Tensor& tensor, bool transpose) {
  const std::size_t rank = tensor.shape.rank();
  MatrixLayout layout{.row_stride = tensor.strides[rank - 2], .column_stride = tensor.strides[rank - 1]};
  if (transpose) {
    std::swap(layout.row_stride, layout.column_stride);
  }
  return layout;
}

ir::Dims batch_strides(const Tensor& tensor, const ir::Dims& batch_shape) {
  ir::Dims strides = batch_shape;
  const std::size_t lead = batch_shape.rank() + 2 - tensor.shape.rank();
  for (std::size_t i = 0; i < batch_shape.rank(); ++i) {
    strides[i] = i < lead || tensor.shape[i - lead] == 1 ? 0 : tensor.strides[i - lead];
  }
  return strides;
}

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

// All blocks together are a multiple of the team, if there is work enough; of all shapes with that many, the
// one whose blocks read least.
void choose_block(MatmulBlocks& blocks, int team_size) {
  blocks.block_m = blocks.m;
  blocks.block_n = blocks.n;
  const std::int64_t wanted = team_size / std::gcd(blocks.batch, static_cast<std::int64_t>(team_size));
  const std::int64_t affordable = blocks.m * blocks.n * std::max<std::int64_t>(blocks.k, 1) / kLeastWork;
  const std::int64_t parts = std::min(wanted, std::max<std::int64_t>(affordable, 1));
  std::int64_t least = INT64_MAX;
  for (std::int64_t rows = 1; rows <= parts; ++rows) {
    const std::int64_t columns = parts / rows;
    if (rows * columns != parts || rows > blocks.m || columns > blocks.n) {
      continue;
    }
    const std::int64_t block_m = ceil_div(blocks.m, rows);
    const std::int64_t block_n =
        columns == 1 ? blocks.n : ceil_div(ceil_div(blocks.n, columns), kColumnGrain) * kColumnGrain;
    if (block_m + block_n < least) {
      least = block_m + block_n;
      blocks.block_m = block_m;
      blocks.block_n = block_n;
    }
  }
}

}  // namespace

MatmulBlocks make_matmul_blocks(const Tensor& a, const Tensor& b, bool transpose_a, bool transpose_b,
                                const ir::Shape& result, int team_size) {
  const std::size_t rank = result.rank();
  const ir::Dims batch_shape(std::span(result.begin(), rank - 2));
  MatmulBlocks blocks{.batch = ir::elements(batch_shape),
                      .m = result[rank - 2],
                      .n = result[rank - 1],
                      .k = a.shape[a.shape.rank() - (transpose_a ? 2 : 1)],
                      .a = layout_of(a, transpose_a),
                      .b = layout_of(b, transpose_b),
                      .batch_shape = batch_shape,
                      .a_batch_strides = batch_strides(a, batch_shape),
                      .b_batch_strides = batch_strides(b, batch_shape)};
  // A layer over a batch: all rows of a, of whatever batch, meet the same b, so they are rows of one matrix.
  while (blocks.batch_shape.rank() > 0) {
    const std::size_t last = blocks.batch_shape.rank() - 1;
    const bool joins =
        blocks.b_batch_strides[last] == 0 && blocks.a_batch_strides[last] == blocks.a.row_stride * blocks.m;
    if (!joins && blocks.batch_shape[last] != 1) {
      break;
    }
    blocks.m *= blocks.batch_shape[last];
    const auto shortened = [last](const ir::Dims& dims) { return ir::Dims(std::span(dims.begin(), last)); };
    blocks.batch_shape = shortened(blocks.batch_shape);
    blocks.a_batch_strides = shortened(blocks.a_batch_strides);
    blocks.b_batch_strides = shortened(blocks.b_batch_strides);
  }
  blocks.batch = ir::elements(blocks.batch_shape);
  choose_block(blocks, team_size);
  return blocks;
}

MatmulBlocks::Block MatmulBlocks::block(std::int64_t unit) const {
  const std::int64_t column = unit % column_blocks();
  const std::int64_t row = unit / column_blocks() % row_blocks();
  const std::int64_t item = unit / (column_blocks() * row_blocks());
  Block block{.m = std::min(block_m, m - row * block_m),
              .n = std::min(block_n, n - column * block_n),
              .a_offset = row * block_m * a.row_stride,
              .b_offset = column * block_n * b.column_stride,
              .c_offset = (item * m + row * block_m) * n + column * block_n};
  std::int64_t rest = item;
  for (std::size_t axis = batch_shape.rank(); axis-- > 0;) {
    const std::int64_t at = rest % batch_shape[axis];
    rest /= batch_shape[axis];
    block.a_offset += at * a_batch_strides[axis];
    block.b_offset += at * b_batch_strides[axis];
  }
  return block;
}

bool is_library_layout(const MatrixLayout& layout, std::int64_t rows, std::int64_t columns) {
  const bool by_rows =
      (columns == 1 || layout.column_stride == 1) && (rows == 1 || layout.row_stride >= columns);
  const bool by_columns =
      (rows == 1 || layout.row_stride == 1) && (columns == 1 || layout.column_stride >= rows);
  return by_rows || by_columns;
}

}  // namespace foretell::runtime::cpu
