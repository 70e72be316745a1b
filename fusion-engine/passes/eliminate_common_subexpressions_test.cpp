// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/passes/eliminate_common_subexpressions.hpp"

#include <gtest/gtest.h>

#include "fusion-engine/passes/pass_cases.hpp"

namespace foretell::passes {
namespace {

class EliminateCommonSubexpressions : public testing::TestWithParam<PassCase> {};
TEST_P(EliminateCommonSubexpressions, MakesTheseTheSame) {
  expect_rewrite(eliminate_common_subexpressions, GetParam());
}

INSTANTIATE_TEST_SUITE_P(
    Rewrites, EliminateCommonSubexpressions,
    testing::Values(
        PassCase{"add", "a = add(x, y)\nd = add(y, x)\nr = div(a, d)\n", "a = add(x, y)\nr = div(a, a)\n"},
        PassCase{"deep", "a = add(x, y)\nd = add(y, x)\ne = exp(a)\nf = exp(d)\nr = div(e, f)\n",
                 "a = add(x, y)\ne = exp(a)\nr = div(e, e)\n"},
        PassCase{"and", "a = and(c, b)\nd = and(b, c)\ne = not(a)\nr = eq(e, d)\n",
                 "a = and(b, c)\ne = not(a)\nr = eq(a, e)\n"},
        PassCase{"mirrored", "a = gt(x, y)\nd = lt(y, x)\nr = xor(a, d)\n", "a = lt(y, x)\nr = xor(a, a)\n"},
        PassCase{"mirrored_or_equal", "r = ge(x, y)\n", "r = le(y, x)\n"},
        PassCase{"fma", "r = fma(y, x, row)\n", "r = fma(x, y, row)\n"},
        PassCase{"constants_last", "k = constant(value=2, to=f32)\ne = exp(x)\nr = mul(k, e)\n",
                 "k = constant(value=2, to=f32)\ne = exp(x)\nr = mul(e, k)\n"},
        PassCase{"integer_maximum", "r = maximum(m, n)\n", "r = maximum(n, m)\n"},
        PassCase{"no_float_maximum", "a = maximum(y, x)\nd = maximum(x, y)\nr = div(a, d)\n",
                 "a = maximum(y, x)\nd = maximum(x, y)\nr = div(a, d)\n"},
        PassCase{"no_difference", "a = sub(y, x)\nd = sub(x, y)\nr = div(a, d)\n",
                 "a = sub(y, x)\nd = sub(x, y)\nr = div(a, d)\n"},
        PassCase{"no_random_ops",
                 "a = dropout(x, probability=0.5)\nd = dropout(x, probability=0.5)\nr = add(a, d)\n",
                 "a = dropout(x, probability=0.5)\nd = dropout(x, probability=0.5)\nr = add(a, d)\n"}),
    [](const auto& row) { return std::string(row.param.name); });

}  // namespace
}  // namespace foretell::passes
