// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/runtime/cpu/matmul.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "fusion-engine/runtime/cpu/matmul_f64.hpp"

namespace foretell::runtime::cpu {
namespace {

Tensor dense(const ir::Shape& shape, ir::DType dtype = ir::DType::F32, std::byte* data = nullptr) {
  return {.data = data, .dtype = dtype, .shape = shape, .strides = ir::dense_strides(shape)};
}

struct BlockCase {
  std::string name;
  ir::Shape a;
  ir::Shape b;
  ir::Shape result;
  std::int64_t batch;  // after rows were joined
  std::int64_t m;
  std::int64_t units;  // by a team of four
};
class Blocks : public ::testing::TestWithParam<BlockCase> {};
INSTANTIATE_TEST_SUITE_P(
    Matmul, Blocks,
    ::testing::Values(BlockCase{"large", {512, 512}, {512, 512}, {512, 512}, 1, 512, 4},
                      BlockCase{"small_is_not_cut", {8, 16}, {16, 8}, {8, 8}, 1, 8, 1},
                      BlockCase{"row_is_cut_by_columns", {1, 4096}, {4096, 4096}, {1, 4096}, 1, 1, 4},
                      BlockCase{"layer_over_a_batch", {4, 32, 64}, {64, 64}, {4, 32, 64}, 1, 128, 4},
                      BlockCase{"batch_is_shared_out", {8, 64, 64}, {8, 64, 64}, {8, 64, 64}, 8, 64, 8},
                      BlockCase{"three_over_four", {3, 128, 128}, {3, 128, 128}, {3, 128, 128}, 3, 128, 12},
                      BlockCase{"uneven", {301, 257}, {257, 333}, {301, 333}, 1, 301, 4},
                      BlockCase{"both_broadcast", {3, 1, 64, 64}, {1, 2, 64, 64}, {3, 2, 64, 64}, 6, 64, 12}),
    [](const auto& test) { return test.param.name; });

TEST_P(Blocks, CoverTheResultOnceAndReadWhereTheyShould) {
  const BlockCase& row = GetParam();
  const Tensor a = dense(row.a);
  const Tensor b = dense(row.b);
  const MatmulBlocks blocks = make_matmul_blocks(a, b, false, false, row.result, 4);
  EXPECT_EQ(blocks.batch, row.batch);
  EXPECT_EQ(blocks.m, row.m);
  EXPECT_EQ(blocks.units(), row.units);
  std::vector<int> hits(static_cast<std::size_t>(ir::elements(row.result)), 0);
  for (std::int64_t unit = 0; unit < blocks.units(); ++unit) {
    const MatmulBlocks::Block block = blocks.block(unit);
    EXPECT_LT(block.a_offset + (block.m - 1) * blocks.a.row_stride + blocks.k - 1, a.elements());
    EXPECT_LT(block.b_offset + (blocks.k - 1) * blocks.b.row_stride + block.n - 1, b.elements());
    for (std::int64_t i = 0; i < block.m; ++i) {
      for (std::int64_t j = 0; j < block.n; ++j) {
        ++hits[static_cast<std::size_t>(block.c_offset + i * blocks.n + j)];
      }
    }
  }
  EXPECT_EQ(std::ranges::count(hits, 1), static_cast<std::ptrdiff_t>(hits.size()));
}

TEST(MatmulLayout, LibraryTakesRowsOrColumnsThatAreContiguous) {
  EXPECT_TRUE(is_library_layout({10, 1}, 5, 10));
  EXPECT_TRUE(is_library_layout({12, 1}, 5, 10));
  EXPECT_TRUE(is_library_layout({1, 5}, 5, 10));
  EXPECT_TRUE(is_library_layout({7, 3}, 1, 1));
  EXPECT_FALSE(is_library_layout({20, 2}, 5, 10));
  EXPECT_FALSE(is_library_layout({0, 1}, 5, 10));  // rows repeat
  EXPECT_FALSE(is_library_layout({1, 0}, 5, 10));
}

TEST(MatmulF64, IsWithinRoundingOfALongSum) {
  struct Row {
    std::int64_t m, n, k;
    bool a_by_columns, b_by_columns;
  };
  const Row rows[] = {{1, 1, 1, false, false},    {6, 16, 256, false, false}, {7, 17, 257, true, false},
                      {13, 31, 600, false, true}, {64, 3, 5, true, true},     {5, 70, 511, false, false}};
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (const Row& row : rows) {
    std::vector<double> a(static_cast<std::size_t>(row.m * row.k));
    std::vector<double> b(static_cast<std::size_t>(row.k * row.n));
    for (auto* const values : {&a, &b}) {
      std::ranges::generate(*values, [&] { return uniform(random); });
    }
    const MatrixF64 x{a.data(), row.a_by_columns ? 1 : row.k, row.a_by_columns ? row.m : 1};
    const MatrixF64 y{b.data(), row.b_by_columns ? 1 : row.n, row.b_by_columns ? row.k : 1};
    const std::int64_t c_row = row.n + 3;
    std::vector<double> c(static_cast<std::size_t>(row.m * c_row), 99.0);
    multiply_f64(row.m, row.n, row.k, x, y, c.data(), c_row);
    for (std::int64_t i = 0; i < row.m; ++i) {
      for (std::int64_t j = 0; j < c_row; ++j) {
        const double got = c[static_cast<std::size_t>(i * c_row + j)];
        if (j >= row.n) {
          EXPECT_EQ(got, 99.0);  // beyond the row
          continue;
        }
        long double sum = 0;
        for (std::int64_t p = 0; p < row.k; ++p) {
          sum += static_cast<long double>(x.data[i * x.row_stride + p * x.column_stride]) *
                 static_cast<long double>(y.data[p * y.row_stride + j * y.column_stride]);
        }
        // k roundings of sums no larger than k (Higham, Accuracy and stability of numerical algorithms,
        // section 3.1).
        const double bound = static_cast<double>(row.k * row.k) * 0x1p-53;
        ASSERT_NEAR(got, static_cast<double>(sum), bound) << row.m << "x" << row.n << "x" << row.k;
      }
    }
  }
}

class MatmulCounters : public ::testing::TestWithParam<ir::DType> {};
INSTANTIATE_TEST_SUITE_P(Matmul, MatmulCounters,
                         ::testing::Values(ir::DType::F32, ir::DType::F64, ir::DType::BF16, ir::DType::F16),
                         [](const auto& test) { return std::string(ir::to_string(test.param)); });

TEST_P(MatmulCounters, CountConversionsWhereTheLibraryLacksTheType) {
  CpuDevice device = open_cpu_device({.stream = {.threads = 1}}).value();
  const std::int64_t size = 16 * 16 * static_cast<std::int64_t>(ir::size_bytes(GetParam()));
  std::vector<std::byte> memory(static_cast<std::size_t>(3 * size));
  Matmul matmul(device);
  StepCounters counters;
  ASSERT_TRUE(matmul
                  .launch(dense({16, 16}, GetParam(), memory.data()),
                          dense({16, 16}, GetParam(), memory.data() + size), false, false,
                          dense({16, 16}, GetParam(), memory.data() + 2 * size), counters)
                  .has_value());
  device.stream->synchronize();
  EXPECT_TRUE(matmul.take_error().has_value());
  const bool direct = GetParam() == ir::DType::F64 || MatmulLibrary(1).has(GetParam());
  const std::int64_t wide = 3 * 16 * 16 * 4;
  EXPECT_EQ(counters.launches, direct ? 1 : 4);
  EXPECT_EQ(counters.bytes_converted, direct ? 0 : 3 * size + wide);
  EXPECT_EQ(counters.bytes_read + counters.bytes_written, direct ? 3 * size : 3 * size + 2 * wide);
}

}  // namespace
}  // namespace foretell::runtime::cpu
