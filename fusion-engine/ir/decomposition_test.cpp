// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/ir/decomposition.hpp"

#include <gtest/gtest.h>

#include <string>

#include "fusion-engine/ir/text.hpp"
#include "fusion-engine/ir/verify.hpp"

namespace foretell::ir {
namespace {

constexpr std::string_view kInputs = R"(graph g
x = input(to=f32, shape=[2,4])
h = input(to=bf16, shape=[2,4])
w = input(to=f32, shape=[4])
k = input(to=f32, shape=[3,4])
at = input(to=i64, shape=[2])
m2 = input(to=f32, shape=[3])
l = input(to=f32, shape=[])
i = input(to=f32, shape=[2,4,1,2])
)";

struct Case {
  const char* name;
  const char* composite;
  const char* definition;  // r is the result
};
std::ostream& operator<<(std::ostream& out, const Case& row) { return out << row.name; }
class Decomposition : public testing::TestWithParam<Case> {};

// The node, decomposed after the inputs.
TEST_P(Decomposition, IsAsWrittenOut) {
  const Result<Graph> whole = parse(std::string(kInputs) + "r = " + GetParam().composite + "\n");
  const Result<Graph> want = parse(std::string(kInputs) + GetParam().definition + "return r=r\n");
  ASSERT_TRUE(whole.has_value()) << whole.error().message;
  ASSERT_TRUE(want.has_value()) << want.error().where << want.error().message;
  Graph graph = parse(kInputs).value();
  const Node& node = whole->nodes().back();
  const Result<NodeId> result = decompose_node(graph, node, node.operands);
  ASSERT_TRUE(result.has_value()) << result.error().message;
  EXPECT_EQ(graph.type(*result), node.type);
  ASSERT_TRUE(graph.output("r", *result).has_value());
  EXPECT_EQ(print(graph), print(*want));
}

INSTANTIATE_TEST_SUITE_P(
    All, Decomposition,
    testing::Values(
        Case{"mean", "mean(x, axes=[1])",
             "s = sum(x, axes=[1])\nn = constant(value=0.25, to=f32)\nr = mul(s, n)\n"},
        Case{
            "mean_of_bf16", "mean(h, axes=[0,1], keep_dims=true)",
            "c = cast(h, to=f32)\ns = sum(c, axes=[0,1], keep_dims=true)\nn = constant(value=0.125, to=f32)\n"
            "m = mul(s, n)\nr = cast(m, to=bf16)\n"},
        Case{"var", "var(x, axes=[1], correction=2)",
             "s = sum(x, axes=[1], keep_dims=true)\nn = constant(value=0.25, to=f32)\nm = mul(s, n)\nd = "
             "sub(x, m)\n"
             "q = square(d)\nv = sum(q, axes=[1])\no = constant(value=0.5, to=f32)\nr = mul(v, o)\n"},
        Case{"softmax", "softmax(x, axis=0)",
             "m = amax(x, axes=[0], keep_dims=true)\nd = sub(x, m)\ne = exp(d)\n"
             "s = sum(e, axes=[0], keep_dims=true)\nr = div(e, s)\n"},
        Case{"log_softmax", "log_softmax(x, axis=1)",
             "m = amax(x, axes=[1], keep_dims=true)\nd = sub(x, m)\ne = exp(d)\n"
             "s = sum(e, axes=[1], keep_dims=true)\nl = log(s)\nr = sub(d, l)\n"},
        Case{"layer_norm", "layer_norm(x, w, w, epsilon=0.5)",
             "s = sum(x, axes=[1], keep_dims=true)\nn = constant(value=0.25, to=f32)\nm = mul(s, n)\nd = "
             "sub(x, m)\n"
             "q = square(d)\nv = sum(q, axes=[1], keep_dims=true)\nt = mul(v, n)\ne = constant(value=0.5, "
             "to=f32)\n"
             "p = add(t, e)\ni = rsqrt(p)\no = mul(d, i)\nu = mul(o, w)\nr = add(u, w)\n"},
        Case{"rms_norm", "rms_norm(x, epsilon=0.5)",
             "q = square(x)\ns = sum(q, axes=[1], keep_dims=true)\nn = constant(value=0.25, to=f32)\nm = "
             "mul(s, n)\n"
             "e = constant(value=0.5, to=f32)\np = add(m, e)\ni = rsqrt(p)\nr = mul(x, i)\n"},
        Case{"group_norm", "group_norm(i, w, w, groups=2, epsilon=0.5)",
             "a = reshape(i, shape=[2,2,4])\ns = sum(a, axes=[2], keep_dims=true)\n"
             "n = constant(value=0.25, to=f32)\nm = mul(s, n)\nd = sub(a, m)\nq = square(d)\n"
             "v = sum(q, axes=[2], keep_dims=true)\nt = mul(v, n)\nme = expand(m, shape=[2,2,2])\n"
             "mr = reshape(me, shape=[2,4,1,1])\nc = sub(i, mr)\ne = constant(value=0.5, to=f32)\n"
             "p = add(t, e)\nr2 = rsqrt(p)\nre = expand(r2, shape=[2,2,2])\n"
             "rr = reshape(re, shape=[2,4,1,1])\no = mul(c, rr)\nww = reshape(w, shape=[4,1,1])\n"
             "u = mul(o, ww)\nr = add(u, ww)\n"},
        Case{"batch_norm", "batch_norm(i, w, w, epsilon=0.5)",
             "s1 = sum(i, axes=[2,3], keep_dims=true)\ns = sum(s1, axes=[0], keep_dims=true)\n"
             "n = constant(value=0.25, to=f32)\nm = mul(s, n)\nd = sub(i, m)\nq = square(d)\n"
             "v1 = sum(q, axes=[2,3], keep_dims=true)\nv = sum(v1, axes=[0], keep_dims=true)\nt = mul(v, n)\n"
             "e = constant(value=0.5, to=f32)\np = add(t, e)\nr2 = rsqrt(p)\no = mul(d, r2)\n"
             "ww = reshape(w, shape=[4,1,1])\nu = mul(o, ww)\nr = add(u, ww)\n"},
        Case{"batch_norm_of_given", "batch_norm(x, w, w, w, w)",
             "d = sub(x, w)\ne = constant(value=9.999999747378752e-06, to=f32)\np = add(w, e)\n"
             "r2 = rsqrt(p)\no = mul(d, r2)\nu = mul(o, w)\nr = add(u, w)\n"},
        Case{"upsample_nearest", "upsample_nearest(i, factor=3)",
             "a = reshape(i, shape=[2,4,1,1,2,1])\nb = expand(a, shape=[2,4,1,3,2,3])\n"
             "r = reshape(b, shape=[2,4,3,6])\n"},
        Case{"gelu", "gelu(x)",
             "c = constant(value=0.7071067690849304, to=f32)\na = mul(x, c)\ne = erf(a)\n"
             "half = constant(value=0.5, to=f32)\nb = mul(x, half)\none = constant(value=1, to=f32)\n"
             "p = add(e, one)\nr = mul(b, p)\n"},
        Case{"gelu_by_tanh", "gelu(x, approximate=true)",
             "q = square(x)\nc = mul(q, x)\na = constant(value=0.044714998453855515, to=f32)\nt = mul(c, a)\n"
             "i = add(x, t)\nb = constant(value=0.7978845834732056, to=f32)\nj = mul(i, b)\ne = tanh(j)\n"
             "half = constant(value=0.5, to=f32)\nk2 = mul(x, half)\none = constant(value=1, to=f32)\n"
             "p = add(e, one)\nr = mul(k2, p)\n"},
        Case{"silu", "silu(h)", "c = cast(h, to=f32)\ns = sigmoid(c)\nm = mul(c, s)\nr = cast(m, to=bf16)\n"},
        Case{"dropout", "dropout(x, probability=0.75, seed=5, counter=3)",
             "u = random_uniform(shape=[2,4], to=f32, seed=5, counter=3)\np = constant(value=0.75, to=f32)\n"
             "k2 = ge(u, p)\nf = constant(value=4, to=f32)\ns = mul(x, f)\nz = constant(value=0, to=f32)\n"
             "r = where(k2, s, z)\n"},
        Case{"random_normal", "random_normal(shape=[5], to=f64, counter=3)",
             "a = random_uniform(shape=[5], to=f64, counter=3)\n"
             "b = random_uniform(shape=[5], to=f64, seed=-7046029254386353131, counter=3)\n"
             "one = constant(value=1, to=f64)\nv = sub(one, a)\nl = log(v)\nm = constant(value=-2, to=f64)\n"
             "q = mul(l, m)\ns = sqrt(q)\np = constant(value=6.283185307179586, to=f64)\nt = mul(b, p)\nc = "
             "cos(t)\n"
             "r = mul(s, c)\n"},
        Case{"attention", "attention(x, k, k, scale=2, causal=true)",
             "s = matmul(x, k, transpose_b=true)\nf = constant(value=2, to=f32)\nt = mul(s, f)\n"
             "q = iota(shape=[2,1], axis=0, to=i32)\no = constant(value=1, to=i32)\nl = add(q, o)\n"
             "c = iota(shape=[1,3], axis=1, to=i32)\nv = le(c, l)\nn = constant(value=-inf, to=f32)\n"
             "a = where(v, t, n)\nm = amax(a, axes=[1], keep_dims=true)\nd = sub(a, m)\ne = exp(d)\n"
             "z = sum(e, axes=[1], keep_dims=true)\np = div(e, z)\nr = matmul(p, k)\n"},
        Case{"attention_with_mask", "attention(x, k, k, m2)",
             "s = matmul(x, k, transpose_b=true)\nf = constant(value=0.5, to=f32)\nt = mul(s, f)\na = add(t, "
             "m2)\n"
             "m = amax(a, axes=[1], keep_dims=true)\nd = sub(a, m)\ne = exp(d)\n"
             "z = sum(e, axes=[1], keep_dims=true)\np = div(e, z)\nr = matmul(p, k)\n"},
        Case{"cross_entropy", "cross_entropy(x, at)",
             "m = amax(x, axes=[1], keep_dims=true)\nd = sub(x, m)\ne = exp(d)\n"
             "s = sum(e, axes=[1], keep_dims=true)\nl = log(s)\nt = reshape(at, shape=[2,1])\n"
             "c = iota(shape=[1,4], axis=1, to=i64)\nh2 = eq(c, t)\nz = constant(value=0, to=f32)\n"
             "p = where(h2, d, z)\nq = sum(p, axes=[1], keep_dims=true)\no = sub(l, q)\n"
             "u = sum(o, axes=[0,1])\nn = constant(value=0.5, to=f32)\nr = mul(u, n)\n"},
        Case{"softmax_grad", "softmax_grad(x, x, axis=0)",
             "p = mul(x, x)\ns = sum(p, axes=[0], keep_dims=true)\nd = sub(x, s)\nr = mul(x, d)\n"},
        Case{"log_softmax_grad", "log_softmax_grad(x, x, axis=1)",
             "e = exp(x)\ns = sum(x, axes=[1], keep_dims=true)\np = mul(e, s)\nr = sub(x, p)\n"},
        Case{"layer_norm_grad", "layer_norm_grad(x, x, w, epsilon=0.5)",
             "s = sum(x, axes=[1], keep_dims=true)\nn = constant(value=0.25, to=f32)\nm = mul(s, n)\nd = "
             "sub(x, m)\n"
             "q = square(d)\nv = sum(q, axes=[1], keep_dims=true)\nt = mul(v, n)\ne = constant(value=0.5, "
             "to=f32)\n"
             "p = add(t, e)\ni = rsqrt(p)\no = mul(d, i)\ng = mul(x, w)\ngo = mul(g, o)\n"
             "a = sum(go, axes=[1], keep_dims=true)\nb = mul(a, n)\nc = sum(g, axes=[1], keep_dims=true)\n"
             "f = mul(c, n)\nl = sub(g, f)\nob = mul(o, b)\ny = sub(l, ob)\nr = mul(y, i)\n"},
        Case{"rms_norm_grad", "rms_norm_grad(x, x, epsilon=0.5)",
             "q = square(x)\ns = sum(q, axes=[1], keep_dims=true)\nn = constant(value=0.25, to=f32)\nm = "
             "mul(s, n)\n"
             "e = constant(value=0.5, to=f32)\np = add(m, e)\ni = rsqrt(p)\no = mul(x, i)\ngo = mul(x, o)\n"
             "a = sum(go, axes=[1], keep_dims=true)\nb = mul(a, n)\nob = mul(o, b)\ny = sub(x, ob)\n"
             "r = mul(y, i)\n"},
        Case{"rms_norm_weight_grad", "rms_norm_weight_grad(x, x, epsilon=0.5)",
             "q = square(x)\ns = sum(q, axes=[1], keep_dims=true)\nn = constant(value=0.25, to=f32)\nm = "
             "mul(s, n)\n"
             "e = constant(value=0.5, to=f32)\np = add(m, e)\ni = rsqrt(p)\no = mul(x, i)\ny = mul(x, o)\n"
             "r = sum(y, axes=[0])\n"},
        Case{"weight_grad_of_one_row", "rms_norm_weight_grad(w, w, epsilon=0.5)",
             "q = square(w)\ns = sum(q, axes=[0], keep_dims=true)\nn = constant(value=0.25, to=f32)\nm = "
             "mul(s, n)\n"
             "e = constant(value=0.5, to=f32)\np = add(m, e)\ni = rsqrt(p)\no = mul(w, i)\nr = mul(w, o)\n"},
        Case{"gelu_grad", "gelu_grad(x, x)",
             "c = constant(value=0.7071067690849304, to=f32)\na = mul(x, c)\ne = erf(a)\n"
             "one = constant(value=1, to=f32)\nb = add(e, one)\nhalf = constant(value=0.5, to=f32)\n"
             "p = mul(b, half)\nq = square(x)\nm = constant(value=-0.5, to=f32)\nt = mul(q, m)\nu = exp(t)\n"
             "n = constant(value=0.3989422917366028, to=f32)\nd = mul(u, n)\ny = mul(x, d)\nz = add(p, y)\n"
             "r = mul(x, z)\n"},
        Case{"silu_grad", "silu_grad(h, h)",
             "c = cast(h, to=f32)\ns = sigmoid(c)\none = constant(value=1, to=f32)\nd = sub(one, s)\n"
             "m = mul(c, d)\np = add(m, one)\nl = mul(s, p)\ny = mul(c, l)\nr = cast(y, to=bf16)\n"},
        Case{"cross_entropy_grad", "cross_entropy_grad(x, at, l)",
             "m = amax(x, axes=[1], keep_dims=true)\nd = sub(x, m)\ne = exp(d)\n"
             "s = sum(e, axes=[1], keep_dims=true)\ny = div(e, s)\nt = reshape(at, shape=[2,1])\n"
             "c = iota(shape=[1,4], axis=1, to=i64)\nh2 = eq(c, t)\none = constant(value=1, to=f32)\n"
             "z = constant(value=0, to=f32)\np = where(h2, one, z)\nq = sub(y, p)\n"
             "n = constant(value=0.5, to=f32)\no = mul(l, n)\nr = mul(q, o)\n"}),
    [](const auto& row) { return std::string(row.param.name); });

TEST(Decompositions, OtherOpsHaveNone) {
  EXPECT_FALSE(has_decomposition(OpKind::Sum));
  Graph graph = parse(kInputs).value();
  const Result<NodeId> sum = decompose_node(
      graph, {.op = OpKind::Exp, .operands = {NodeId{0}}, .attributes = {}, .type = graph.type(NodeId{0})},
      std::vector{NodeId{0}});
  ASSERT_FALSE(sum.has_value());
  EXPECT_EQ(sum.error().message, "exp: has no decomposition");
}

// One of each, of a narrow float, so that every row with a decomposition is run.
TEST(Decompositions, EveryResultIsOfTheNodesTypeWithoutComposites) {
  constexpr std::string_view kAll = R"(graph g
x = input(to=f16, shape=[5,4])
w = input(to=f16, shape=[4])
at = input(to=i32, shape=[5])
mask = input(to=f16, shape=[5,5])
l = input(to=f16, shape=[])
i = input(to=f16, shape=[2,4,1,2])
a = mean(x, axes=[1])
a = var(x, axes=[0], keep_dims=true)
a = random_normal(shape=[3], to=f16)
a = dropout(x, probability=0.5)
a = softmax(x, axis=1)
a = log_softmax(x, axis=1)
a = layer_norm(x, w)
a = rms_norm(x, w)
a = gelu(x)
a = gelu(x, approximate=true)
a = silu(x)
a = attention(x, x, x, mask)
a = softmax_grad(x, x, axis=1)
a = log_softmax_grad(x, x, axis=1)
a = layer_norm_grad(x, x, w)
a = layer_norm_weight_grad(x, x)
a = rms_norm_grad(x, x)
a = rms_norm_weight_grad(x, x)
a = gelu_grad(x, x)
a = silu_grad(x, x)
a = cross_entropy(x, at)
a = cross_entropy_grad(x, at, l)
a = group_norm(x, w, groups=2)
a = batch_norm(x, w, w)
a = upsample_nearest(i, factor=2)
)";
  const Graph whole = parse(kAll).value();
  Graph graph("g");
  std::size_t decomposed = 0;
  for (const Node& node : whole.nodes()) {
    if (node.op == OpKind::Input) {
      ASSERT_TRUE(graph.add(node.op, {}, node.attributes).has_value());
    } else {
      const Result<NodeId> result = decompose_node(graph, node, node.operands);
      ASSERT_TRUE(result.has_value()) << result.error().message;
      EXPECT_EQ(graph.type(*result), node.type) << to_string(node.op);
      ++decomposed;
    }
  }
  EXPECT_EQ(decomposed, 25U);
  EXPECT_TRUE(verify(graph).has_value());
  for (const Node& node : graph.nodes()) {
    EXPECT_FALSE(has_decomposition(node.op)) << to_string(node.op);
  }
  for (const OpInfo& row : all_ops()) {
    EXPECT_TRUE(row.category != Category::Composite || has_decomposition(row.kind)) << row.name;
  }
}

}  // namespace
}  // namespace foretell::ir
