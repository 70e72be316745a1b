// SPDX-License-Identifier: Apache-2.0
// Gradients as numbers: what differences can't see, or what the ops' own graphs leave out: kinks and ties,
// and paths that meet.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "fusion-engine/interp/test_graph.hpp"
#include "fusion-engine/passes/differentiate.hpp"

namespace foretell::tests {
namespace {

struct Case {
  std::string_view name;
  std::string_view statements;  // from x, to y of one element
  interp::Numbers x;
  interp::Numbers want;
};
const Case kCases[] = {
    {"abs", "a = abs(x)\ny = sum(a, axes=[0])", {-2, 0, 3}, {-1, 0, 1}},
    {"relu", "a = relu(x)\ny = sum(a, axes=[0])", {-2, 0, 3}, {0, 0, 1}},
    {"amax_of_ties", "y = amax(x, axes=[0])", {1, 4, 4, 3}, {0, 0.5, 0.5, 0}},
    {"amin_of_ties", "y = amin(x, axes=[0])", {1, 4, 1, 1}, {1.0 / 3, 0, 1.0 / 3, 1.0 / 3}},
    {"maximum_of_equals",
     "c = constant(value=1, to=f64)\na = maximum(x, c)\ny = sum(a, axes=[0])",
     {0, 1, 2},
     {0, 0.5, 1}},
    {"minimum_of_equals",
     "c = constant(value=1, to=f64)\na = minimum(c, x)\ny = sum(a, axes=[0])",
     {0, 1, 2},
     {1, 0.5, 0}},
    {"maximum_of_itself", "a = maximum(x, x)\ny = sum(a, axes=[0])", {5}, {1}},
    {"clamp_at_its_limits",
     "l = constant(value=1, to=f64)\nh = constant(value=2, to=f64)\na = clamp(x, l, h)\ny = sum(a, axes=[0])",
     {0.5, 1, 1.5, 2, 3},
     {0, 1, 1, 1, 0}},
    {"lower_limit_of_clamp",
     "l = constant(value=1, to=f64)\nh = constant(value=2, to=f64)\na = clamp(l, x, h)\ny = sum(a, axes=[0])",
     {0.5, 1, 1.5, 3},
     {0, 0, 1, 0}},
    {"upper_limit_of_clamp",
     "l = constant(value=1, to=f64)\nh = constant(value=2, to=f64)\na = clamp(h, l, x)\ny = sum(a, axes=[0])",
     {0.5, 1, 1.5, 3},
     {1, 1, 1, 0}},
    {"power_of_zero", "c = constant(value=2, to=f64)\na = pow(x, c)\ny = sum(a, axes=[0])", {0, 3}, {0, 6}},
    {"zeroth_power", "c = constant(value=0, to=f64)\na = pow(x, c)\ny = sum(a, axes=[0])", {0, 3}, {0, 0}},
    {"power_to_an_exponent_of_zero",
     "c = constant(value=0, to=f64)\na = pow(c, x)\ny = sum(a, axes=[0])",
     {0, 3},
     {0, 0}},
    {"steps_beside_a_path", "f = floor(x)\na = mul(f, x)\ny = sum(a, axes=[0])", {1.5, -1.5}, {1, -2}},
    {"gather_of_one_twice",
     "i = iota(shape=[4], axis=0, to=i64)\nt = constant(value=2, to=i64)\nj = div(i, t)\n"
     "a = gather(x, j, axis=0)\nb = square(a)\ny = sum(b, axes=[0])",
     {1, 2, 3},
     {4, 8, 0}},
    {"slice_with_steps",
     "s = slice(x, starts=[1], limits=[7], steps=[3])\nb = square(s)\ny = sum(b, axes=[0])",
     {1, 2, 3, 4, 5, 6, 7},
     {0, 4, 0, 0, 10, 0, 0}},
    {"concat_of_itself", "c = concat(x, x, axis=0)\nb = square(c)\ny = sum(b, axes=[0])", {1, 2}, {4, 8}},
    {"cast_to_a_narrow_type",
     "c = cast(x, to=bf16)\nb = mul(c, c)\ns = sum(b, axes=[0])\ny = cast(s, to=f64)",
     {1, 2},
     {2, 4}},
};

class GradientNumbers : public testing::TestWithParam<Case> {};

TEST_P(GradientNumbers, AreThese) {
  const Case& row = GetParam();
  const ir::Graph graph = interp::graph_of(
      fmt::format("graph g\nx = input(to=f64, shape=[{}])\n{}\nreturn y=y\n", row.x.size(), row.statements));
  const std::string x = "x";
  const auto found = passes::differentiate(graph, "y", {&x, 1});
  ASSERT_TRUE(found.has_value()) << found.error().message;
  const auto values = interp::evaluate(*found, interp::tensors_of(*found, {row.x}));
  ASSERT_TRUE(values.has_value()) << values.error().message;
  EXPECT_EQ(interp::numbers_of((*values)[1]), row.want);
}

INSTANTIATE_TEST_SUITE_P(Cases, GradientNumbers, testing::ValuesIn(kCases),
                         [](const auto& row) { return std::string(row.param.name); });

}  // namespace
}  // namespace foretell::tests
