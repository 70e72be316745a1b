// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/ir/text.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "fusion-engine/ir/verify.hpp"

namespace foretell::ir {
namespace {

// Every op, every attribute with a value that is no default.
constexpr std::string_view kEveryOp = R"(graph every-op
x: f32[2,3] = input(to=f32, shape=[2,3])
b: bool[2,3] = input(to=bool, shape=[2,3])
at: i64[2] = input(to=i64, shape=[2])
row: f32[3] = input(to=f32, shape=[3])
"a name": f32[] = input(to=f32, shape=[], low=0, high=0.5)
image: f32[2,4,3,5] = input(to=f32, shape=[2,4,3,5])
filter: f32[6,2,3,2] = input(to=f32, shape=[6,2,3,2])
per: f32[4] = input(to=f32, shape=[4])
%8: f64[2,3] = cast(x, to=f64)
%9: f32[] = constant(value=0.10000000149011612, to=f32)
%10: bf16[] = constant(value=-0, to=bf16)
%11: f64[] = constant(value=-inf, to=f64)
%12: f32[] = constant(value=nan, to=f32)
%13: i64[] = constant(value=-9007199254740993, to=i64)
%14: i32[2,3] = iota(shape=[2,3], axis=1, to=i32)
%15: f32[2,3] = random_uniform(shape=[2,3], to=f32, seed=-7, counter=0)
%16: f32[2,1] = sum(x, axes=[1], keep_dims=true)
%17: f32[] = mean(x, axes=[0,1])
%18: f32[3] = amax(x, axes=[0])
%19: f32[3] = amin(x, axes=[0])
%20: f32[2] = var(x, axes=[1], correction=1)
%21: i64[2] = argmax(x, axis=1)
%22: f32[3,3] = matmul(x, x, transpose_a=true)
%23: f32[2,2] = matmul(x, x, transpose_b=true)
%24: f32[2,6,1,5] = conv2d(image, filter, strides=[2,1], padding=[1,1], dilation=[2,2], groups=2)
%25: f32[2,4,3,5] = conv2d_input_grad(%24, filter, shape=[2,4,3,5], strides=[2,1], padding=[1,1], dilation=[2,2], groups=2)
%26: f32[6,2,3,2] = conv2d_weight_grad(image, %24, shape=[6,2,3,2], strides=[2,1], padding=[1,1], dilation=[2,2], groups=2)
%27: f32[3,2] = permute(x, permutation=[1,0])
%28: f32[6] = reshape(x, shape=[6])
%29: f32[2,2] = slice(x, starts=[0,0], limits=[2,3], steps=[1,2])
%30: f32[1,3] = slice(x, starts=[1,0], limits=[2,3])
%31: f32[2,3] = expand("a name", shape=[2,3])
%32: f32[4,3] = concat(x, x, axis=0)
%33: f32[3,5] = pad(x, before=[1,0], after=[0,2], value=0.5)
%34: f32[2,2] = gather(x, at, axis=1)
%35: f32[2,3] = scatter_add(x, at, x, axis=0)
%36: f32[2,3] = index_copy(x, at, x, axis=0)
%37: f32[2,3] = host_read(x)
%38: f32[4] = random_normal(shape=[4], to=f32, counter=1)
%39: f32[2,3] = dropout(x, probability=0.1, seed=3, counter=2)
%40: f32[2,3] = softmax(x, axis=1)
%41: f32[2,3] = log_softmax(x, axis=0)
%42: f32[2,3] = layer_norm(x, row, row, epsilon=1e-06)
%43: f32[2,3] = rms_norm(x, row)
%44: f32[2,4,3,5] = group_norm(image, per, per, groups=2, epsilon=1e-06)
%45: f32[2,4,3,5] = batch_norm(image, per, per, per, per)
%46: f32[2,3] = gelu(x, approximate=true)
%47: f32[2,3] = silu(x)
%48: f32[2,3] = attention(x, x, x, "a name", scale=0.25, causal=true)
%49: f32[2,4,6,10] = upsample_nearest(image, factor=2)
%50: f32[] = cross_entropy(x, at)
%51: f32[2,3] = where(b, x, "a name")
%52: f32[2,3] = softmax_grad(x, x, axis=1)
%53: f32[2,3] = log_softmax_grad(x, x, axis=0)
%54: f32[2,3] = layer_norm_grad(x, x, row, epsilon=1e-06)
%55: f32[3] = layer_norm_weight_grad(x, x)
%56: f32[2,3] = rms_norm_grad(x, x)
%57: f32[3] = rms_norm_weight_grad(x, x, epsilon=1e-06)
%58: f32[2,3] = gelu_grad(x, x, approximate=true)
%59: f32[2,3] = silu_grad(x, x)
%60: f32[2,3] = cross_entropy_grad(x, at, "a name")
return y=%51 updates x, "an output"=%17, w=b
)";

TEST(Text, EveryOpReadsAndPrintsAsWritten) {
  const Result<Graph> graph = parse(kEveryOp);
  ASSERT_TRUE(graph.has_value()) << graph.error().where << graph.error().message;
  EXPECT_TRUE(verify(*graph).has_value());
  // The one value that no double holds is rounded as it is read.
  std::string want(kEveryOp);
  want.replace(want.find("-9007199254740993"), 17, "-9007199254740992");
  EXPECT_EQ(print(*graph), want);
  for (const OpInfo& row : all_ops()) {
    EXPECT_TRUE(is_elementwise(row.kind) || want.find(std::string(row.name) + "(") != std::string::npos)
        << row.name;
  }
}

TEST(Text, EveryElementwiseOpComesBack) {
  Graph graph("rows");
  const NodeId x = graph.input("x", {.dtype = DType::F32, .shape = {2}}).value();
  const NodeId b = graph.input("b", {.dtype = DType::Bool, .shape = {2}}).value();
  for (const OpInfo& row : all_ops()) {
    if (is_elementwise(row.kind)) {
      std::vector<NodeId> operands(row.max_arity, row.types == TypeRule::Logical ? b : x);
      operands[0] = row.types == TypeRule::Select ? b : operands[0];
      ASSERT_TRUE(graph.add(row.kind, operands).has_value()) << row.name;
    }
  }
  const Result<Graph> again = parse(print(graph));
  ASSERT_TRUE(again.has_value()) << again.error().where << again.error().message;
  EXPECT_EQ(*again, graph);
}

TEST(Text, AnyNameComesBack) {
  const std::string names[] = {"plain",
                               "layer.0.weight-1",
                               "",
                               "with space",
                               "%5",
                               "\"quoted\\",
                               "line\nbreak",
                               std::string("\0\x01\x7f\xff", 4),
                               "updates",
                               "graph",
                               "repeat",
                               "return",
                               "1st",
                               "#"};
  Graph graph("a # graph");
  for (const std::string& name : names) {
    const NodeId x = graph.input(name, {.dtype = DType::F32, .shape = {2}}).value();
    ASSERT_TRUE(graph.output(name, graph.add(OpKind::Add, {x, x}).value(), x).has_value());
  }
  const Result<Graph> again = parse(print(graph));
  ASSERT_TRUE(again.has_value()) << again.error().where << again.error().message << "\n" << print(graph);
  EXPECT_EQ(*again, graph);
}

TEST(Text, AnyRealComesBack) {
  Graph graph;
  for (const double value :
       {0.1, 1e300, -5e-324, 1.0 / 3.0, std::numeric_limits<double>::max(), std::nan(""), -0.0}) {
    graph.constant(value, DType::F64);
    graph.constant(value, DType::F32);
  }
  EXPECT_EQ(parse(print(graph)).value(), graph);
}

struct Same {
  const char* name;
  const char* text;
  const char* written_out;
};
std::ostream& operator<<(std::ostream& out, const Same& row) { return out << row.name; }
class SameGraph : public testing::TestWithParam<Same> {};

TEST_P(SameGraph, AsWrittenOut) {
  const std::string head = "graph g\nx = input(to=f32, shape=[2,3])\n";
  const Result<Graph> graph = parse(head + GetParam().text);
  const Result<Graph> want = parse(head + GetParam().written_out);
  ASSERT_TRUE(graph.has_value()) << graph.error().where << graph.error().message;
  ASSERT_TRUE(want.has_value()) << want.error().where << want.error().message;
  EXPECT_EQ(print(*graph), print(*want));
  EXPECT_EQ(*graph, *want);
}

INSTANTIATE_TEST_SUITE_P(
    Text, SameGraph,
    testing::Values(
        Same{"repeat", "h = exp(x)\nrepeat 3 {\n  h = tanh(h)\n}\nreturn y=h\n",
             "a = exp(x)\nb = tanh(a)\nc = tanh(b)\nd = tanh(c)\nreturn y=d\n"},
        Same{"nested_repeat", "h = neg(x)\nrepeat 2 {\nrepeat 2 { h = exp(h) }\nh = neg(h)\n}\n",
             "a = neg(x)\nb = exp(a)\nc = exp(b)\nd = neg(c)\ne = exp(d)\nf = exp(e)\ng = neg(f)\n"},
        Same{"fresh_counters", "repeat 2 {\nx = dropout(x, probability=0.5)\n}\n",
             "a = dropout(x, probability=0.5, counter=0)\nb = dropout(a, probability=0.5, counter=1)\n"},
        Same{"fresh_after_given",
             "a = dropout(x, probability=0.5, counter=4)\nb = random_normal(shape=[2], to=f32)\n",
             "a = dropout(x, probability=0.5, counter=4)\nb = random_normal(shape=[2], to=f32, counter=5)\n"},
        Same{"comments_and_blank_lines", "\n  # a comment\n\n a = exp(x)   # another\n\n\n return y=a # last",
             "a = exp(x)\nreturn y=a\n"},
        Same{"carriage_returns", "a = exp(x)\r\nreturn y=a\r\n", "a = exp(x)\nreturn y=a\n"},
        Same{"input_named_otherwise", "a = input(name=\"z\", to=f32, shape=[])\nb = exp(a)\n",
             "z = input(to=f32, shape=[])\nb = exp(z)\n"},
        Same{"negative_axes", "a = sum(x, axes=[-1,-2])\nb = reshape(x, shape=[-1])\n",
             "a = sum(x, axes=[0,1], keep_dims=false)\nb = reshape(x, shape=[6])\n"}),
    [](const auto& row) { return std::string(row.param.name); });

}  // namespace
}  // namespace foretell::ir
