// SPDX-License-Identifier: Apache-2.0
// Convolutions by hand, and the gradients by what defines them: <conv(x, w), dy> is linear in x and in w, so
// it is <x, input_grad(dy, w)> and <w, weight_grad(x, dy)>.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "fusion-engine/interp/test_graph.hpp"

namespace foretell::interp {
namespace {

struct Case {
  const char* name;
  const char* x;  // shapes
  const char* weight;
  const char* dy;
  const char* attributes;
};
std::ostream& operator<<(std::ostream& out, const Case& row) { return out << row.name; }

const Case kCases[] = {
    {"plain", "2,3,5,4", "4,3,3,3", "2,4,3,2", ""},
    {"pointwise", "2,3,5,4", "4,3,1,1", "2,4,5,4", ""},
    {"padding", "1,2,5,4", "3,2,3,3", "1,3,5,6", ", padding=[1,2]"},
    {"strides", "1,2,8,7", "3,2,3,2", "1,3,3,2", ", strides=[2,3]"},
    {"dilation", "1,2,8,7", "3,2,3,2", "1,3,4,6", ", dilation=[2,1]"},
    {"groups", "1,4,4,4", "6,2,2,2", "1,6,3,3", ", groups=2"},
    {"depthwise", "1,4,4,4", "4,1,3,3", "1,4,4,4", ", padding=[1,1], groups=4"},
    {"window_in_the_padding", "1,1,2,2", "1,1,1,2", "1,1,8,7", ", padding=[3,3]"},
};

class Gradients : public testing::TestWithParam<Case> {};

TEST_P(Gradients, AreTheAdjoints) {
  const Case& row = GetParam();
  const ir::Graph graph = graph_of(fmt::format(R"(graph g
x = input(to=f64, shape=[{0}])
w = input(to=f64, shape=[{1}])
dy = input(to=f64, shape=[{2}])
y = conv2d(x, w{3})
dx = conv2d_input_grad(dy, w, shape=[{0}]{3})
dw = conv2d_weight_grad(x, dy, shape=[{1}]{3})
ydy = mul(y, dy)
xdx = mul(x, dx)
wdw = mul(w, dw)
a = sum(ydy, axes=[0,1,2,3])
b = sum(xdx, axes=[0,1,2,3])
c = sum(wdw, axes=[0,1,2,3])
return a=a, b=b, c=c
)",
                                               row.x, row.weight, row.dy, row.attributes));
  std::vector<ir::HostTensor> inputs;
  for (const ir::NodeId id : graph.inputs()) {
    inputs.push_back(ir::random_tensor(graph.type(id), inputs.size()));
  }
  const auto values = evaluate(graph, inputs);
  ASSERT_TRUE(values.has_value()) << values.error().message;
  const double want = (*values)[0].reals[0];
  EXPECT_NE(want, 0);
  EXPECT_NEAR((*values)[1].reals[0], want, 1e-12);
  EXPECT_NEAR((*values)[2].reals[0], want, 1e-12);
}

INSTANTIATE_TEST_SUITE_P(Shapes, Gradients, testing::ValuesIn(kCases),
                         [](const auto& row) { return std::string(row.param.name); });

Numbers convolved(std::string_view types, std::string_view attributes, const std::vector<Numbers>& inputs) {
  const ir::Graph graph =
      graph_of(fmt::format("graph g\n{}y = conv2d(x, w{})\nreturn y=y\n", types, attributes));
  const auto values = evaluate(graph, tensors_of(graph, inputs));
  EXPECT_TRUE(values.has_value());
  return values.has_value() ? numbers_of(values->front()) : Numbers{};
}

TEST(Convolution, SlidesTheWindowUnflipped) {
  EXPECT_EQ(convolved("x = input(to=f32, shape=[1,1,3,3])\nw = input(to=f32, shape=[1,1,2,2])\n", "",
                      {{1, 2, 3, 4, 5, 6, 7, 8, 9}, {1, 10, 100, 1000}}),
            (Numbers{5421, 6532, 8754, 9865}));
}

TEST(Convolution, PadsWithZerosAndSkipsByTheStride) {
  EXPECT_EQ(convolved("x = input(to=f32, shape=[1,1,2,3])\nw = input(to=f32, shape=[1,1,1,2])\n",
                      ", padding=[0,1], strides=[1,2]", {{1, 2, 3, 4, 5, 6}, {1, 10}}),
            (Numbers{10, 32, 40, 65}));
}

TEST(Convolution, EachGroupSeesItsOwnChannels) {
  EXPECT_EQ(convolved("x = input(to=f32, shape=[1,2,1,1])\nw = input(to=f32, shape=[4,1,1,1])\n",
                      ", groups=2", {{1, 10}, {1, 2, 3, 4}}),
            (Numbers{1, 2, 30, 40}));
}

TEST(Convolution, BoundsGrowWithTheProductsThatMeet) {
  const ir::Graph graph = graph_of(
      "graph g\nx = input(to=f32, shape=[1,1,1,3])\nw = input(to=f32, shape=[1,1,1,3])\n"
      "y = conv2d(x, w, padding=[0,2])\nreturn y=y\n");
  const auto values = evaluate(graph, tensors_of(graph, {{1, 1, 1}, {1, 1, 1}}), {.bounds = true});
  ASSERT_TRUE(values.has_value());
  const Numbers& bounds = values->front().bounds;
  ASSERT_EQ(bounds.size(), 5U);
  // n terms of size 1: n u n, whatever part of the window lies in the padding.
  for (const auto& [i, terms] : {std::pair{0U, 1.0}, {1U, 2.0}, {2U, 3.0}, {4U, 1.0}}) {
    EXPECT_NEAR(bounds[i] / (terms * terms), bounds[0], bounds[0] * 1e-9);
  }
}

}  // namespace
}  // namespace foretell::interp
