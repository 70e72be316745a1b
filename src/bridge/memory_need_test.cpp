// SPDX-License-Identifier: Apache-2.0
#include "src/bridge/memory_need.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "src/bridge/test_graph.hpp"

namespace foretell::bridge {
namespace {

struct Case {
  std::string_view name, body;
  std::int64_t kib;  // needed
};

// A value of 256 f32 is one KiB.
TEST(NeededBytes, IsInputsAndTheResultsThatLiveAtOneTime) {
  const Case rows[] = {
      // x, y; and y once more, of the other variant
      {"one op", "x = input(to=f32, shape=[256])\ny = add(x, x)\nreturn y=y\n", 1 + 1 + 1},
      {"a chain holds two results",
       "x = input(to=f32, shape=[256])\na = add(x, x)\nb = exp(a)\nc = tanh(b)\ny = neg(c)\nreturn y=y\n",
       1 + 2 + 1},
      {"a result waits for its last use",
       "x = input(to=f32, shape=[256])\na = add(x, x)\nb = exp(a)\nc = tanh(b)\ny = add(a, c)\nreturn y=y\n",
       1 + 3 + 1},
      {"what nobody uses is not computed",
       "x = input(to=f32, shape=[256])\nd = exp(x)\ny = add(x, x)\nreturn y=y\n", 1 + 1 + 1},
      {"a view takes nothing, and keeps what it is of",
       "x = input(to=f32, shape=[256])\na = exp(x)\nv = reshape(a, shape=[16,16])\nb = tanh(x)\n"
       "c = reshape(b, shape=[16,16])\ny = add(v, c)\nreturn y=y\n",
       1 + 3 + 1},
      {"outputs stay",
       "x = input(to=f32, shape=[256])\na = exp(x)\nb = tanh(x)\nc = neg(x)\nreturn a=a, b=b, c=c\n",
       1 + 3 + 3},
  };
  for (const Case& row : rows) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(needed_bytes(parse(row.body)), row.kib * 1024);
  }
}

TEST(NeededBytes, IsAsMuchAsThereIsNumbersForAndNotLess) {
  std::string body = "x = input(to=f64, shape=[576460752303423488])\n";  // 4 EiB
  for (const std::string_view op : {"neg", "abs", "exp", "tanh", "relu", "square", "floor", "ceil"}) {
    body += std::string(op) + "_x = " + std::string(op) + "(x)\n";
  }
  body +=
      "a = add(neg_x, abs_x)\nb = add(exp_x, tanh_x)\nc = add(relu_x, square_x)\nd = add(floor_x, ceil_x)\n"
      "return a=a, b=b, c=c, d=d\n";
  EXPECT_EQ(needed_bytes(parse(body)), std::numeric_limits<std::int64_t>::max());
}

TEST(NeededBytes, CopiesOfTheLargestTensorAreMeasuredWhereItIsLargeEnough) {
  const ir::Graph small = parse("x = input(to=f32, shape=[16383])\ny = add(x, x)\nreturn y=y\n");
  const ir::Graph large = parse("x = input(to=f32, shape=[16384])\ny = add(x, x)\nreturn y=y\n");

  EXPECT_EQ(copy_block_bytes(small), 0);
  EXPECT_EQ(needed_bytes(small), 3 * 16383 * 4);
  EXPECT_EQ(copy_block_bytes(large), 65536);
  EXPECT_EQ(needed_bytes(large), 5 * 65536);
}

TEST(NeededBytes, AnUnusedViewOrDeadValueIsNotTheLargest) {
  EXPECT_EQ(largest_tensor_bytes(parse("x = input(to=f32, shape=[1,4])\nb = expand(x, shape=[4096,4])\n"
                                       "d = exp(b)\ny = neg(x)\nreturn y=y\n")),
            16);
}

TEST(CheckMemory, RefusesWhatDoesNotFit) {
  const ir::Graph graph = parse("x = input(to=f32, shape=[256])\ny = add(x, x)\nreturn y=y\n");

  EXPECT_TRUE(check_memory(graph, 0, 3 * 1024));
  EXPECT_TRUE(check_memory(graph, 0, 0));
  const auto refused = check_memory(graph, 0, 3 * 1024 - 1);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::Environment);
  EXPECT_FALSE(check_memory(graph, 1, 4 * 1024 - 1));
  EXPECT_TRUE(check_memory(graph, 1, 4 * 1024));
}

}  // namespace
}  // namespace foretell::bridge
