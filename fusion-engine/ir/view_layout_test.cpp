// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/ir/view_layout.hpp"

#include <gtest/gtest.h>

#include "fusion-engine/ir/text.hpp"

namespace foretell::ir {
namespace {

struct Case {
  std::string_view name;
  std::string_view view;  // y from x: f32[4,6]
  Layout operand;
  std::optional<Layout> want;
};

const Layout kDense{.shape = {4, 6}, .offset = 0, .strides = {6, 1}};
const Layout kPart{.shape = {4, 6}, .offset = 7, .strides = {60, 2}};  // of something larger

const Case kCases[] = {
    {"permute", "permute(x, permutation=[1,0])", kPart, Layout{{6, 4}, 7, {2, 60}}},
    {"slice", "slice(x, starts=[1,2], limits=[4,6], steps=[2,3])", kPart, Layout{{2, 2}, 71, {120, 6}}},
    {"expand", "expand(x, shape=[3,4,6])", kPart, Layout{{3, 4, 6}, 7, {0, 60, 2}}},
    {"reshape_splits_an_axis", "reshape(x, shape=[4,2,3])", kPart, Layout{{4, 2, 3}, 7, {60, 6, 2}}},
    {"reshape_joins_dense_axes", "reshape(x, shape=[24])", kDense, Layout{{24}, 0, {1}}},
    {"reshape_across_a_gap", "reshape(x, shape=[24])", kPart, std::nullopt},
    {"reshape_cuts_across_axes", "reshape(x, shape=[3,8])", kPart, std::nullopt},
};

class ViewLayout : public testing::TestWithParam<Case> {};

TEST_P(ViewLayout, OfTheOperandsLayout) {
  const Case& row = GetParam();
  const auto graph =
      parse("graph g\nx = input(to=f32, shape=[4,6])\ny = " + std::string(row.view) + "\nreturn y=y\n");
  ASSERT_TRUE(graph.has_value()) << graph.error().message;
  EXPECT_EQ(view_of(graph->node(graph->outputs()[0].node), row.operand), row.want);
}

INSTANTIATE_TEST_SUITE_P(Cases, ViewLayout, testing::ValuesIn(kCases),
                         [](const auto& row) { return std::string(row.param.name); });

TEST(DenseLayout, HasTheStridesOfRows) { EXPECT_EQ(dense_layout({4, 6}), kDense); }

}  // namespace
}  // namespace foretell::ir
