// SPDX-License-Identifier: Apache-2.0
#include "src/bridge/work_count.hpp"

#include <gtest/gtest.h>

#include "src/bridge/test_graph.hpp"

namespace foretell::bridge {
namespace {

TEST(CountWork, CountsLiveElementwiseOpsByTheirRow) {
  const WorkCount count = count_work(
      parse("x = input(to=f32, shape=[10])\ny = add(x, x)\nz = fma(y, y, x)\ndead = exp(x)\nreturn z=z\n"));
  EXPECT_EQ(count.flops, 10 * 1 + 10 * 2);
  EXPECT_TRUE(count.matmul_flops.empty());
}

TEST(CountWork, AReductionIsOnePerElementOfItsOperand) {
  EXPECT_EQ(count_work(parse("x = input(to=f32, shape=[4,5])\ny = sum(x, axes=[1])\nreturn y=y\n")).flops,
            20);
}

TEST(CountWork, AProductIsTwoPerMultiplyAddWhicheverSideIsTransposed) {
  EXPECT_EQ(count_work(parse("a = input(to=f32, shape=[2,5])\nb = input(to=f32, shape=[5,3])\n"
                             "y = matmul(a, b)\nreturn y=y\n"))
                .matmul_flops,
            (FlopsByType{{ir::DType::F32, 2 * 2 * 3 * 5}}));
  EXPECT_EQ(count_work(parse("a = input(to=f32, shape=[5,2])\nb = input(to=f32, shape=[5,3])\n"
                             "y = matmul(a, b, transpose_a=true)\nreturn y=y\n"))
                .matmul_flops,
            (FlopsByType{{ir::DType::F32, 2 * 2 * 3 * 5}}));
}

TEST(CountWork, AConvolutionIsAProduct) {
  const WorkCount count =
      count_work(parse("x = input(to=f32, shape=[1,3,8,8])\nw = input(to=f32, shape=[5,3,3,3])\n"
                       "y = conv2d(x, w)\nreturn y=y\n"));
  EXPECT_EQ(count.matmul_flops, (FlopsByType{{ir::DType::F32, 2 * (5 * 6 * 6) * (3 * 3 * 3)}}));
  EXPECT_EQ(count.matmuls, 1);
}

TEST(CountWork, ProductsAreCountedByTheTypeOfTheirOperands) {
  EXPECT_EQ(count_work(parse("a = input(to=f32, shape=[2,2])\nb = input(to=bf16, shape=[2,2])\n"
                             "y = matmul(a, a)\nz = matmul(b, b)\nreturn y=y, z=z\n"))
                .matmul_flops,
            (FlopsByType{{ir::DType::F32, 16}, {ir::DType::BF16, 16}}));
}

}  // namespace
}  // namespace foretell::bridge
