// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/runtime/cpu/convolution.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "fusion-engine/runtime/cpu/eager_executor.hpp"
#include "fusion-engine/runtime/cpu/executor_test_support.hpp"

namespace foretell::runtime::cpu {
namespace {

struct Case {
  std::string name;
  ir::Shape x;
  ir::Shape weight;
  ir::Ints strides{1, 1};
  ir::Ints padding{0, 0};
  ir::Ints dilation{1, 1};
  std::int64_t groups = 1;
};
std::ostream& operator<<(std::ostream& out, const Case& row) { return out << row.name; }

const std::vector<Case> kCases{
    {.name = "window_of_three", .x = {2, 32, 9, 9}, .weight = {48, 32, 3, 3}, .padding = {1, 1}},
    {.name = "pointwise", .x = {2, 20, 7, 5}, .weight = {33, 20, 1, 1}},
    {.name = "pointwise_in_groups", .x = {3, 12, 4, 5}, .weight = {18, 4, 1, 1}, .groups = 3},
    {.name = "pointwise_strided", .x = {2, 16, 8, 9}, .weight = {24, 16, 1, 1}, .strides = {2, 2}},
    {.name = "pointwise_padded", .x = {1, 3, 4, 4}, .weight = {5, 3, 1, 1}, .padding = {1, 0}},
    {.name = "stem", .x = {1, 3, 31, 29}, .weight = {16, 3, 7, 7}, .strides = {2, 2}, .padding = {3, 3}},
    {.name = "odd_everything",
     .x = {3, 5, 13, 11},
     .weight = {7, 5, 3, 2},
     .strides = {1, 3},
     .padding = {2, 1}},
    {.name = "dilated", .x = {1, 8, 15, 14}, .weight = {16, 8, 3, 3}, .padding = {2, 2}, .dilation = {2, 3}},
    {.name = "grouped", .x = {2, 24, 6, 7}, .weight = {36, 8, 3, 3}, .padding = {1, 1}, .groups = 3},
    {.name = "depthwise", .x = {2, 37, 8, 8}, .weight = {37, 1, 3, 3}, .padding = {1, 1}, .groups = 37},
    {.name = "depthwise_twice", .x = {1, 5, 8, 6}, .weight = {10, 1, 3, 3}, .strides = {2, 1}, .groups = 5},
    {.name = "one_of_everything", .x = {1, 1, 1, 1}, .weight = {1, 1, 1, 1}, .padding = {0, 1}},
    {.name = "window_within_the_padding", .x = {1, 4, 3, 3}, .weight = {4, 4, 2, 2}, .padding = {4, 4}},
    {.name = "image_never_met",
     .x = {1, 2, 2, 3},
     .weight = {3, 2, 1, 1},
     .strides = {9, 9},
     .padding = {3, 3}},
    {.name = "rows_left_over", .x = {2, 6, 11, 10}, .weight = {4, 6, 2, 3}, .strides = {4, 4}},
    {.name = "as_large_as_the_image", .x = {2, 6, 5, 4}, .weight = {20, 6, 5, 4}},
    {.name = "enough_for_several_lanes", .x = {1, 35, 16, 16}, .weight = {70, 35, 3, 3}, .padding = {1, 1}},
    {.name = "groups_for_several_lanes", .x = {1, 60, 16, 16}, .weight = {120, 3, 3, 3}, .groups = 20},
    {.name = "no_images", .x = {0, 3, 5, 5}, .weight = {4, 3, 3, 3}},
};

// conv2d, and both gradients for the same dy.
ir::Graph graph_of(const Case& row, ir::DType dtype) {
  using enum ir::AttrKey;
  const auto ints = [](const ir::Shape& shape) { return ir::Ints(shape.begin(), shape.end()); };
  ir::Attributes attributes{
      {Strides, row.strides}, {Padding, row.padding}, {Dilation, row.dilation}, {Groups, row.groups}};
  ir::Graph graph("convolution");
  const ir::NodeId x = graph.input("x", {dtype, row.x}).value();
  const ir::NodeId weight = graph.input("weight", {dtype, row.weight}).value();
  const ir::NodeId dy =
      graph.input("dy", {dtype, ir::convolved_shape(row.x, row.weight, attributes).value()}).value();
  FORETELL_CHECK(
      graph.output("y", graph.add(ir::OpKind::Conv2d, {x, weight}, attributes).value()).has_value());
  attributes.set(Shape, ints(row.x));
  FORETELL_CHECK(graph.output("dx", graph.add(ir::OpKind::Conv2dInputGrad, {dy, weight}, attributes).value())
                     .has_value());
  attributes.set(Shape, ints(row.weight));
  FORETELL_CHECK(
      graph.output("dw", graph.add(ir::OpKind::Conv2dWeightGrad, {x, dy}, attributes).value()).has_value());
  return graph;
}

class Convolutions : public ::testing::TestWithParam<std::tuple<Case, ir::DType, int>> {};
INSTANTIATE_TEST_SUITE_P(Cpu, Convolutions,
                         ::testing::Combine(::testing::ValuesIn(kCases),
                                            ::testing::Values(ir::DType::F32, ir::DType::F64, ir::DType::BF16,
                                                              ir::DType::F16),
                                            ::testing::Values(1, 3)),
                         [](const auto& test) {
                           return std::get<0>(test.param).name + "_" +
                                  std::string(ir::to_string(std::get<1>(test.param))) + "_on_" +
                                  std::to_string(std::get<2>(test.param));
                         });

TEST_P(Convolutions, AreAsInterpretedAndTheSameEachTime) {
  const auto& [row, dtype, threads] = GetParam();
  const ir::Graph graph = graph_of(row, dtype);
  CpuDevice device = open_cpu_device({.stream = {.threads = threads}}).value();
  InputSet inputs = InputSet::random(graph, device, 7);
  const auto executor = make_eager_executor(graph, device, inputs);
  std::vector<std::vector<std::byte>> first;
  for (int step = 0; step < 2; ++step) {
    ASSERT_TRUE(executor->step().has_value());
    ASSERT_TRUE(executor->synchronize().has_value());
    for (std::size_t i = 0; i < graph.outputs().size(); ++i) {
      first.push_back(executor->output(i).bytes);
      EXPECT_EQ(executor->output(i).bytes, first[i]);
    }
  }
  expect_as_interpreted(graph, to_host(inputs), *executor);
}

TEST(Convolution, OperandsOfAnyLayoutAreMadeDense) {
  const ir::Graph graph = parse(R"(a = input(to=f32, shape=[2,6,7,8])
x = permute(a, permutation=[0,3,1,2])
b = input(to=f32, shape=[8,5,1,1])
t = permute(b, permutation=[1,0,2,3])
weight = expand(t, shape=[5,8,3,3])
one = input(to=f32, shape=[5,8,1,1])
y = conv2d(x, weight)
z = conv2d(x, one)
return y=y, z=z)");
  CpuDevice device = open_cpu_device({.stream = {.threads = 2}}).value();
  InputSet inputs = InputSet::random(graph, device, 7);
  const auto executor = make_eager_executor(graph, device, inputs);
  ASSERT_TRUE(executor->step().has_value());
  ASSERT_TRUE(executor->synchronize().has_value());
  expect_as_interpreted(graph, to_host(inputs), *executor);
}

TEST(ConvolutionBlocks, CoverEachChannelOfTheResultOnce) {
  for (const Case& row : kCases) {
    for (const ir::OpKind op :
         {ir::OpKind::Conv2d, ir::OpKind::Conv2dInputGrad, ir::OpKind::Conv2dWeightGrad}) {
      if (row.x[0] == 0) {
        continue;
      }
      const ir::Convolution of{.x = row.x,
                               .weight = row.weight,
                               .y = ir::convolved_shape(row.x, row.weight,
                                                        {{ir::AttrKey::Strides, row.strides},
                                                         {ir::AttrKey::Padding, row.padding},
                                                         {ir::AttrKey::Dilation, row.dilation}})
                                        .value(),
                               .strides = {row.strides[0], row.strides[1]},
                               .padding = {row.padding[0], row.padding[1]},
                               .dilation = {row.dilation[0], row.dilation[1]},
                               .groups = row.groups};
      for (const int team : {1, 4, 15}) {
        const ConvolutionBlocks blocks = make_convolution_blocks(op, of, team);
        std::int64_t x = 0;  // channels so far
        std::int64_t y = 0;
        for (std::int64_t i = 0; i < blocks.count; ++i) {
          const ConvolutionBlocks::Block block = blocks.block(i);
          EXPECT_EQ(block.first_x, blocks.shares_x() ? 0 : x) << row;
          EXPECT_EQ(block.first_y, blocks.shares_y() ? 0 : y) << row;
          EXPECT_GT(block.x, 0);
          EXPECT_GT(block.y, 0);
          x += block.x;
          y += block.y;
        }
        EXPECT_EQ(x, of.x[1] * (blocks.shares_x() ? blocks.count : 1)) << row;
        EXPECT_EQ(y, of.y[1] * (blocks.shares_y() ? blocks.count : 1)) << row;
      }
    }
  }
}

TEST(ConvolutionBlocks, AreAsManyAsTheTeamNeeds) {
  const ir::Convolution large{.x = {1, 64, 32, 32},
                              .weight = {64, 64, 3, 3},
                              .y = {1, 64, 30, 30},
                              .strides = {1, 1},
                              .padding = {0, 0},
                              .dilation = {1, 1}};
  EXPECT_EQ(make_convolution_blocks(ir::OpKind::Conv2d, large, 1).count, 1);
  EXPECT_EQ(make_convolution_blocks(ir::OpKind::Conv2d, large, 4).count, 4);
  EXPECT_EQ(make_convolution_blocks(ir::OpKind::Conv2d, large, 15).count, 4);  // of 16 channels
  ir::Convolution batch = large;
  batch.x[0] = batch.y[0] = 6;
  EXPECT_EQ(make_convolution_blocks(ir::OpKind::Conv2d, batch, 4).units(), 12);
  EXPECT_EQ(make_convolution_blocks(ir::OpKind::Conv2dWeightGrad, batch, 4).units(), 4);
  ir::Convolution small = large;
  small.x = {1, 64, 4, 4};
  small.y = {1, 64, 2, 2};
  EXPECT_EQ(make_convolution_blocks(ir::OpKind::Conv2d, small, 4).count, 2);  // 147456 products
}

TEST(Convolution, CountsConversionsWhereTheLibraryLacksTheType) {
  const ir::Graph graph = parse(R"(x = input(to=f16, shape=[1,4,6,6])
w = input(to=f16, shape=[8,4,3,3])
y = conv2d(x, w)
return y=y)");
  CpuDevice device = open_cpu_device({.stream = {.threads = 1}}).value();
  InputSet inputs = InputSet::random(graph, device, 5);
  const auto executor = make_eager_executor(graph, device, inputs);
  ASSERT_TRUE(executor->step().has_value());
  ASSERT_TRUE(executor->synchronize().has_value());
  constexpr std::int64_t kElements = 4 * 36 + 8 * 36 + 8 * 16;
  const bool direct = ConvolutionLibrary(1).has(ir::DType::F16);
  EXPECT_EQ(executor->counters().launches, direct ? 1 : 4);
  EXPECT_EQ(executor->counters().bytes_converted, direct ? 0 : kElements * (2 + 4));
  EXPECT_EQ(executor->counters().bytes_read + executor->counters().bytes_written,
            direct ? kElements * 2 : kElements * (2 + 4 + 4));
}

}  // namespace
}  // namespace foretell::runtime::cpu
