// SPDX-License-Identifier: Apache-2.0
// The formulas are tested in ir/decomposition_test.cpp.
#include "fusion-engine/passes/decompose.hpp"

#include <gtest/gtest.h>

#include "fusion-engine/passes/pass_cases.hpp"

namespace foretell::passes {
namespace {

class Decompose : public testing::TestWithParam<PassCase> {};
TEST_P(Decompose, MakesTheseTheSame) { expect_rewrite(decompose, GetParam()); }

INSTANTIATE_TEST_SUITE_P(
    Rewrites, Decompose,
    testing::Values(PassCase{"in_a_chain", "a = exp(x)\nd = silu(a)\nr = neg(d)\n",
                             "a = exp(x)\ns = sigmoid(a)\nd = mul(a, s)\nr = neg(d)\n"},
                    PassCase{
                        "shared_parts", "a = softmax(x, axis=1)\nd = log_softmax(x, axis=1)\nr = add(a, d)\n",
                        "m = amax(x, axes=[1], keep_dims=true)\nd = sub(x, m)\ne = exp(d)\n"
                        "s = sum(e, axes=[1], keep_dims=true)\np = div(e, s)\nl = log(s)\nq = sub(d, l)\n"
                        "r = add(p, q)\n"},
                    PassCase{"nothing", "r = sum(x, axes=[0])\n", "r = sum(x, axes=[0])\n"}),
    [](const auto& row) { return std::string(row.param.name); });

TEST(DecomposeOutputs, KeepTheirNamesAndStates) {
  const ir::Graph graph = decompose(
      ir::parse("graph g\ns = input(to=f32, shape=[2])\nc = silu(s)\nreturn next=c updates s\n").value());
  ASSERT_EQ(graph.outputs().size(), 1U);
  EXPECT_EQ(graph.outputs()[0].name, "next");
  EXPECT_EQ(graph.outputs()[0].state_of, graph.find_input("s"));
  EXPECT_EQ(graph.node(graph.outputs()[0].node).op, ir::OpKind::Mul);
}

}  // namespace
}  // namespace foretell::passes
