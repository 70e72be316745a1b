// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/ir/flops.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "fusion-engine/ir/text.hpp"

namespace foretell::ir {
namespace {

struct Case {
  const char* name;
  const char* op;  // of x: f32[4,6], w: f32[6,5], m: f32[3,4,6],
                   // i: f32[2,4,3,5], k: f32[6,2,3,2], o: f32[2,6,1,4]
  std::int64_t want;
};

const Case kCases[] = {
    {"elementwise_of_the_result", "add(x, m)", 72},
    {"fma_is_two", "fma(x, x, x)", 48},
    {"reduction_of_the_operand", "sum(x, axes=[0,1])", 24},
    {"variance_takes_four", "var(x, axes=[1])", 96},
    {"argmax", "argmax(x, axis=1)", 24},
    {"matmul", "matmul(x, w)", 2 * 4 * 6 * 5},
    {"matmul_transposed", "matmul(x, x, transpose_a=true)", 2 * 6 * 4 * 6},
    {"batched_matmul", "matmul(m, w)", 2 * 3 * 4 * 6 * 5},
    {"convolution", "conv2d(i, k, padding=[1,0], groups=2)", 2 * (2 * 6 * 3 * 4) * (2 * 3 * 2)},
    {"gradient_of_input", "conv2d_input_grad(o, k, shape=[2,4,3,5], groups=2)",
     2 * (2 * 6 * 1 * 4) * (2 * 3 * 2)},
    {"gradient_of_weight", "conv2d_weight_grad(i, o, shape=[6,2,3,2], groups=2)",
     2 * (2 * 6 * 1 * 4) * (2 * 3 * 2)},
    {"cast", "cast(x, to=bf16)", 0},
    {"view", "permute(x, permutation=[1,0])", 0},
    {"movement", "concat(x, x, axis=0)", 0},
    {"composite", "softmax(x, axis=1)", 0},
};

class Flops : public testing::TestWithParam<Case> {};

TEST_P(Flops, OfOneNode) {
  const auto graph = parse(
      "graph g\nx = input(to=f32, shape=[4,6])\nw = input(to=f32, shape=[6,5])\n"
      "m = input(to=f32, shape=[3,4,6])\ni = input(to=f32, shape=[2,4,3,5])\n"
      "k = input(to=f32, shape=[6,2,3,2])\no = input(to=f32, shape=[2,6,1,4])\ny = " +
      std::string(GetParam().op) + "\nreturn y=y\n");
  ASSERT_TRUE(graph.has_value()) << graph.error().message;
  EXPECT_EQ(flops(*graph, graph->outputs()[0].node), GetParam().want);
}

INSTANTIATE_TEST_SUITE_P(Cases, Flops, testing::ValuesIn(kCases),
                         [](const auto& row) { return std::string(row.param.name); });

TEST(Flops, StopsAtTheLargestNumber) {
  const auto graph =
      parse("graph g\nx = input(to=f32, shape=[1152921504606846975])\ny = exp(x)\nreturn y=y\n");
  ASSERT_TRUE(graph.has_value()) << graph.error().message;
  EXPECT_EQ(flops(*graph, graph->outputs()[0].node), std::numeric_limits<std::int64_t>::max());
}

}  // namespace
}  // namespace foretell::ir
