// SPDX-License-Identifier: Apache-2.0
// What differentiation makes of a graph, as text. That the numbers are right:
// tests/engine/gradients_test.cpp.
#include "fusion-engine/passes/differentiate.hpp"

#include <gtest/gtest.h>

#include "fusion-engine/ir/text.hpp"
#include "fusion-engine/ir/verify.hpp"
#include "fusion-engine/passes/eliminate_dead_code.hpp"

namespace foretell::passes {
namespace {

constexpr std::string_view kInputs = R"(graph g
x = input(to=f32, shape=[2,3])
w = input(to=f32, shape=[3])
h = input(to=bf16, shape=[2,3])
i = input(to=i64, shape=[2])
b = input(to=bool, shape=[2,3])
)";

ir::Graph graph_of(std::string_view statements) {
  const auto graph = ir::parse(std::string(kInputs) + std::string(statements));
  EXPECT_TRUE(graph.has_value()) << graph.error().where << graph.error().message;
  return *graph;
}

struct Case {
  std::string_view name;
  std::string_view loss;      // statements to `loss`
  std::string_view wrt;       // one input
  std::string_view gradient;  // statements after those of the loss, to `g`
};
const Case kCases[] = {
    {"sum", "loss = sum(x, axes=[0,1])\n", "x",
     "o = constant(value=1, to=f32)\nr = reshape(o, shape=[1,1])\ng = expand(r, shape=[2,3])\n"},
    {"sum_of_broadcasts", "m = add(x, w)\nloss = sum(m, axes=[0,1])\n", "w",
     "o = constant(value=1, to=f32)\nr = reshape(o, shape=[1,1])\ne = expand(r, shape=[2,3])\n"
     "g = sum(e, axes=[0])\n"},
    {"cotangents_of_two_readers", "m = mul(x, x)\nloss = sum(m, axes=[0,1])\n", "x",
     "o = constant(value=1, to=f32)\nr = reshape(o, shape=[1,1])\ne = expand(r, shape=[2,3])\n"
     "p = mul(e, x)\ng = add(p, p)\n"},
    {"no_path", "loss = sum(x, axes=[0,1])\n", "w",
     "o = constant(value=0, to=f32)\ng = expand(o, shape=[3])\n"},
    {"no_path_through_steps", "f = floor(x)\nloss = sum(f, axes=[0,1])\n", "x",
     "o = constant(value=0, to=f32)\ng = expand(o, shape=[2,3])\n"},
    {"no_path_through_integers", "c = cast(x, to=i32)\nf = cast(c, to=f32)\nloss = sum(f, axes=[0,1])\n", "x",
     "o = constant(value=0, to=f32)\ng = expand(o, shape=[2,3])\n"},
    {"mean_of_narrow_floats_is_scaled_in_wide_ones", "loss = mean(h, axes=[0,1])\n", "h",
     "o = constant(value=1, to=bf16)\nr = reshape(o, shape=[1,1])\nc = cast(r, to=f32)\n"
     "n = constant(value=0.1666666716337204, to=f32)\nm = mul(c, n)\nd = cast(m, to=bf16)\n"
     "g = expand(d, shape=[2,3])\n"},
    {"dropout_has_the_same_mask",
     "d = dropout(x, probability=0.5, seed=7, counter=3)\nloss = sum(d, axes=[0,1])\n", "x",
     "o = constant(value=1, to=f32)\nr = reshape(o, shape=[1,1])\ne = expand(r, shape=[2,3])\n"
     "g = dropout(e, probability=0.5, seed=7, counter=3)\n"},
    {"gather_is_scattered", "e = gather(x, i, axis=0)\nloss = sum(e, axes=[0,1])\n", "x",
     "o = constant(value=1, to=f32)\nr = reshape(o, shape=[1,1])\ne2 = expand(r, shape=[2,3])\n"
     "z = constant(value=0, to=f32)\nzs = expand(z, shape=[2,3])\ng = scatter_add(zs, i, e2, axis=0)\n"},
    {"the_loss_itself_has_one_element", "s = slice(w, starts=[0], limits=[1])\nloss = exp(s)\n", "w",
     "o = constant(value=1, to=f32)\ne = expand(o, shape=[1])\nm = mul(e, loss)\n"
     "g = pad(m, before=[0], after=[2])\n"},
};

class Differentiate : public testing::TestWithParam<Case> {};

TEST_P(Differentiate, Graph) {
  const Case& row = GetParam();
  const ir::Graph graph = graph_of(std::string(row.loss) + "return loss=loss\n");
  const std::string input(row.wrt);
  const auto found = differentiate(graph, "loss", {&input, 1});
  ASSERT_TRUE(found.has_value()) << found.error().message;
  EXPECT_TRUE(ir::verify(*found).has_value());
  const ir::Graph want = graph_of(std::string(row.loss) + std::string(row.gradient) +
                                  "return loss=loss, grad_" + input + "=g\n");
  EXPECT_EQ(ir::print(eliminate_dead_code(*found)), ir::print(eliminate_dead_code(want)));
}

INSTANTIATE_TEST_SUITE_P(Cases, Differentiate, testing::ValuesIn(kCases),
                         [](const auto& row) { return std::string(row.param.name); });

std::string error_of(std::string_view statements, std::string_view loss, const std::string& input) {
  const auto found = differentiate(graph_of(statements), loss, {&input, 1});
  return found.has_value() ? "" : found.error().message;
}

TEST(DifferentiateErrors, NameWhatIsWrong) {
  constexpr std::string_view kSum = "s = sum(x, axes=[0,1])\nreturn s=s, x=x\n";
  EXPECT_EQ(error_of(kSum, "none", "x"), "the graph has no output 'none'");
  EXPECT_EQ(error_of(kSum, "s", "none"), "the graph has no input 'none'");
  EXPECT_EQ(error_of(kSum, "x", "x"),
            "expected a loss of one element of a float type, found input 'x' of f32[2,3]");
  EXPECT_EQ(error_of(kSum, "s", "i"),
            "can differentiate with respect to float types, found input 'i' of i64[2]");
  EXPECT_EQ(error_of(kSum, "s", "b"),
            "can differentiate with respect to float types, found input 'b' of bool[2,3]");
  EXPECT_EQ(error_of("n = argmax(w, axis=0)\nreturn n=n\n", "n", "w"),
            "expected a loss of one element of a float type, found %5 (argmax) of i64[]");
}

TEST(AddGradients, OfComputedValuesOnTheWayToOthers) {
  ir::Graph graph = graph_of("e = exp(w)\ns = sin(e)\nloss = sum(s, axes=[0])\nreturn loss=loss, e=e\n");
  const ir::NodeId w = *graph.find_input("w");
  const ir::NodeId e = graph.outputs()[1].node;
  const auto gradients = add_gradients(graph, graph.outputs()[0].node, std::vector{e, w});
  ASSERT_TRUE(gradients.has_value()) << gradients.error().message;
  const ir::Node& of_w = graph.node((*gradients)[1]);
  EXPECT_EQ(of_w.op, ir::OpKind::Mul);
  EXPECT_EQ(of_w.operands, (std::vector{(*gradients)[0], e}));
}

}  // namespace
}  // namespace foretell::passes
