// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/passes/simplify.hpp"

#include <gtest/gtest.h>

#include "fusion-engine/passes/simplify_cases.hpp"

namespace foretell::passes {
namespace {

class Simplify : public testing::TestWithParam<PassCase> {};
TEST_P(Simplify, MakesTheseTheSame) { expect_rewrite(simplify, GetParam()); }
std::string name(const testing::TestParamInfo<PassCase>& row) { return row.param.name; }

// Each looks like an identity, and is wrong for some value.
constexpr const char* kNoIdentities[] = {
    "z = constant(value=0, to=f32)\nr = mul(x, z)\n",                    // NaN, inf
    "z = constant(value=0, to=f32)\nr = add(x, z)\n",                    // -0
    "z = constant(value=-0, to=f32)\nr = sub(x, z)\n",                   // -0
    "r = sub(x, x)\n",                                                   // NaN, inf
    "r = div(x, x)\n",                                                   // 0, NaN, inf
    "t = constant(value=0.5, to=f32)\nr = pow(x, t)\n",                  // -0, -inf
    "z = constant(value=0, to=f32)\nr = maximum(x, z)\n",                // relu keeps -0
    "t = constant(value=3, to=f32)\nr = div(x, t)\n",                    // 1/3 is rounded
    "t = constant(value=2, to=i32)\nr = div(n, t)\n",                    // integers
    "a = lt(x, y)\nr = not(a)\n",                                        // NaN
    "a = exp(x)\nr = log(a)\n",                                          // overflow
    "a = sqrt(x)\nr = square(a)\n",                                      // negative, rounding
    "a = cast(x, to=bf16)\nr = cast(a, to=f32)\n",                       // rounds
    "a = cast(x, to=i32)\nr = cast(a, to=f32)\n",                        // cuts off
    "a = cast(n, to=f32)\nr = cast(a, to=i32)\n",                        // beyond 2^24
    "r = sum(row, axes=[0])\n",                                          // of more than one
    "a = slice(x, starts=[0,0], limits=[2,1])\nr = sum(a, axes=[1])\n",  // 0 + -0
    "a = constant(value=1, to=f32)\nr = exp(a)\n",                       // a vector routine
    "a = constant(value=2147483647, to=i32)\nd = constant(value=1, to=i32)\nr = add(a, d)\n",  // wraps around
    "a = constant(value=1e10, to=f32)\nr = cast(a, to=i32)\n",                                 // out of range
    // 1 + 2^-11 + 2^-30: by way of f32 it is a tie
    "a = constant(value=1.0004882821813226, to=f64)\nr = cast(a, to=f16)\n",
    "a = expand(row, shape=[2,3])\nr = exp(a)\n",  // the shape would change
};

INSTANTIATE_TEST_SUITE_P(Arithmetic, Simplify, testing::ValuesIn(kArithmetic), name);
INSTANTIATE_TEST_SUITE_P(Selections, Simplify, testing::ValuesIn(kSelections), name);
INSTANTIATE_TEST_SUITE_P(Casts, Simplify, testing::ValuesIn(kCasts), name);
INSTANTIATE_TEST_SUITE_P(Views, Simplify, testing::ValuesIn(kViews), name);
INSTANTIATE_TEST_SUITE_P(Folded, Simplify, testing::ValuesIn(kFolded), name);

TEST(SimplifyNot, WhatHoldsForSomeValuesOnly) {
  for (const char* const text : kNoIdentities) {
    const ir::Graph graph = graph_of(text);
    EXPECT_TRUE(simplify(graph) == graph) << text << ir::print(simplify(graph));
  }
}

TEST(SimplifyNot, RandomOpsNorTheirCounters) {
  const ir::Graph graph = graph_of(
      "u = random_uniform(shape=[2,3], to=f32, counter=3)\nv = random_uniform(shape=[2,3], to=f32, "
      "counter=4)\n"
      "r = sub(u, v)\n");
  EXPECT_TRUE(simplify(graph) == graph);
}

TEST(SimplifyOutputs, KeepTheirNamesAndStates) {
  const ir::Graph graph =
      ir::parse(
          "graph g\ns = input(to=f32, shape=[2])\no = constant(value=1, to=f32)\na = mul(s, o)\nc = exp(a)\n"
          "return plain=a, next=c updates s\n")
          .value();
  EXPECT_EQ(ir::print(eliminate_dead_code(simplify(graph))),
            "graph g\ns: f32[2] = input(to=f32, shape=[2])\n%1: f32[2] = exp(s)\nreturn plain=s, next=%1 "
            "updates s\n");
}

}  // namespace
}  // namespace foretell::passes
