// SPDX-License-Identifier: Apache-2.0
#include "src/bridge/work_count.hpp"

#include <gtest/gtest.h>

#include "fusion-engine/ir/text.hpp"
#include "src/bridge/memory_need.hpp"

namespace foretell::bridge {
namespace {

ir::Graph parse(std::string_view body) {
  auto graph = ir::parse(std::string("graph g\n") + std::string(body));
  EXPECT_TRUE(graph) << graph.error().where << ": " << graph.error().message;
  return std::move(*graph);
}

TEST(CountWork, CountsLiveElementwiseOpsByTheirRow) {
  const WorkCount count = count_work(
      parse("x = input(to=f32, shape=[10])\ny = add(x, x)\nz = fma(y, y, x)\ndead = exp(x)\nreturn z=z\n"));
  EXPECT_EQ(count.flops, 10 * 1 + 10 * 2);
  EXPECT_EQ(count.matmul_flops, 0);
}

TEST(CountWork, AReductionIsOnePerElementOfItsOperand) {
  EXPECT_EQ(count_work(parse("x = input(to=f32, shape=[4,5])\ny = sum(x, axes=[1])\nreturn y=y\n")).flops,
            20);
}

TEST(CountWork, AProductIsTwoPerMultiplyAddWhicheverSideIsTransposed) {
  EXPECT_EQ(count_work(parse("a = input(to=f32, shape=[2,5])\nb = input(to=f32, shape=[5,3])\n"
                             "y = matmul(a, b)\nreturn y=y\n"))
                .matmul_flops,
            2 * 2 * 3 * 5);
  EXPECT_EQ(count_work(parse("a = input(to=f32, shape=[5,2])\nb = input(to=f32, shape=[5,3])\n"
                             "y = matmul(a, b, transpose_a=true)\nreturn y=y\n"))
                .matmul_flops,
            2 * 2 * 3 * 5);
}

TEST(MemoryNeed, RefusesWhatDoesNotFit) {
  const ir::Graph graph = parse("x = input(to=f32, shape=[256])\ny = add(x, x)\nreturn y=y\n");

  EXPECT_EQ(needed_bytes(graph), 5 * 1024);
  EXPECT_TRUE(check_memory(graph, 5 * 1024));
  EXPECT_TRUE(check_memory(graph, 0));
  const auto refused = check_memory(graph, 5 * 1024 - 1);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::Environment);
}

}  // namespace
}  // namespace foretell::bridge
