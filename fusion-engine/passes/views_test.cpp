// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/passes/views.hpp"

#include <gtest/gtest.h>

#include "fusion-engine/ir/text.hpp"

namespace foretell::passes {
namespace {

struct Case {
  std::string_view name;
  std::string_view views;  // statements from x: f32[4,6] to y
  std::int64_t offset;
  ir::Dims strides;
  bool shares = true;
};

const Case kCases[] = {
    {"permute", "y = permute(x, permutation=[1,0])\n", 0, {1, 6}},
    {"slice", "y = slice(x, starts=[1,2], limits=[4,6], steps=[2,3])\n", 8, {12, 3}},
    {"slice_of_permute",
     "p = permute(x, permutation=[1,0])\ny = slice(p, starts=[2,1], limits=[6,4])\n",
     8,
     {1, 6}},
    {"expand", "y = expand(x, shape=[3,4,6])\n", 0, {0, 6, 1}},
    {"expand_an_axis", "s = slice(x, starts=[2,0], limits=[3,6])\ny = expand(s, shape=[5,6])\n", 12, {0, 1}},
    {"reshape_of_dense", "y = reshape(x, shape=[2,2,3,2])\n", 0, {12, 6, 2, 1}},
    {"reshape_joins_axes", "y = reshape(x, shape=[24])\n", 0, {1}},
    {"reshape_splits_a_permuted_axis",
     "p = permute(x, permutation=[1,0])\ny = reshape(p, shape=[3,2,4])\n",
     0,
     {2, 1, 6}},
    {"reshape_across_permuted_axes",
     "p = permute(x, permutation=[1,0])\ny = reshape(p, shape=[24])\n",
     0,
     {1},
     false},
    {"reshape_of_a_slice",
     "s = slice(x, starts=[0,0], limits=[4,3])\ny = reshape(s, shape=[12])\n",
     0,
     {1},
     false},
};

class Views : public testing::TestWithParam<Case> {};

TEST_P(Views, Reading) {
  const Case& row = GetParam();
  const auto graph =
      ir::parse("graph g\nx = input(to=f32, shape=[4,6])\n" + std::string(row.views) + "return y=y\n");
  ASSERT_TRUE(graph.has_value()) << graph.error().message;
  const ir::NodeId output = graph->outputs()[0].node;
  const Operand reading = resolve_views(*graph)[ir::index(output)];
  EXPECT_EQ(reading.value, output);
  EXPECT_EQ(reading.buffer, row.shares ? graph->inputs()[0] : output);
  EXPECT_EQ(reading.offset, row.offset);
  EXPECT_EQ(reading.strides, row.strides);
}

INSTANTIATE_TEST_SUITE_P(Cases, Views, testing::ValuesIn(kCases),
                         [](const auto& row) { return std::string(row.param.name); });

}  // namespace
}  // namespace foretell::passes
