// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/interp/interpreter.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "fusion-engine/interp/test_graph.hpp"
#include "fusion-engine/ir/philox.hpp"

namespace foretell::interp {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

struct Case {
  std::string_view name;
  std::string_view body;  // the graph's lines; y is its output
  std::vector<Numbers> inputs;
  Numbers want;
};

const std::vector<Case> kCases{
    // Casts.
    {"float_to_int_truncates_and_saturates",
     "x = input(to=f32, shape=[5])\ny = cast(x, to=i32)",
     {{1.9, -1.9, 3e9, -3e9, kNan}},
     {1, -1, 2147483647, -2147483648, 0}},
    {"float_to_bool", "x = input(to=f32, shape=[3])\ny = cast(x, to=bool)", {{0, 0.25, kNan}}, {0, 1, 1}},
    {"int_to_bool", "x = input(to=i32, shape=[2])\ny = cast(x, to=bool)", {{0, -2}}, {0, 1}},
    {"wide_int_to_narrow_wraps", "x = input(to=i64, shape=[1])\ny = cast(x, to=i32)", {{4294967297}}, {1}},
    {"narrowing_rounds_to_even",
     "x = input(to=f32, shape=[3])\ny = cast(x, to=bf16)",
     {{1.00390625, 1.01171875, 1e30}},
     {1, 1.015625, 1.0002555517425873e+30}},
    {"to_f16_overflows",
     "x = input(to=f32, shape=[2])\ny = cast(x, to=f16)",
     {{65519, 65520}},
     {65504, kInf}},
    {"f16_subnormal",
     "x = input(to=f32, shape=[1])\ny = cast(x, to=f16)",
     {{8.0e-8}},
     {5.9604644775390625e-08}},
    {"widening_keeps_what_is_there",
     "x = input(to=bf16, shape=[1])\nz = add(x, x)\nt = square(z)\nw = cast(t, to=f32)\ny = mul(w, w)",
     {{1.0078125}},
     {16.50588995218277}},
    {"int_to_narrow_float_rounds", "x = input(to=i32, shape=[1])\ny = cast(x, to=bf16)", {{257}}, {256}},
    // Sources.
    {"iota", "y = iota(shape=[2,3], axis=1, to=i64)", {}, {0, 1, 2, 0, 1, 2}},
    {"iota_rows", "y = iota(shape=[2,3], axis=0, to=f32)", {}, {0, 0, 0, 1, 1, 1}},
    {"constant_is_rounded",
     "x = input(to=bf16, shape=[1])\nc = constant(value=0.1, to=bf16)\ny = add(x, c)",
     {{0}},
     {0.10009765625}},
    // Reductions.
    {"sum_last_axis", "x = input(to=f32, shape=[2,3])\ny = sum(x, axes=[1])", {{1, 2, 3, 4, 5, 6}}, {6, 15}},
    {"sum_first_axis",
     "x = input(to=f32, shape=[2,3])\ny = sum(x, axes=[0])",
     {{1, 2, 3, 4, 5, 6}},
     {5, 7, 9}},
    {"sum_all", "x = input(to=f32, shape=[2,3])\ny = sum(x, axes=[0,1])", {{1, 2, 3, 4, 5, 6}}, {21}},
    {"sum_outer_axes",
     "x = input(to=f32, shape=[2,2,2])\ny = sum(x, axes=[0,2])",
     {{1, 2, 3, 4, 5, 6, 7, 8}},
     {14, 22}},
    {"mean_keeps_axis",
     "x = input(to=f32, shape=[2,2])\nm = mean(x, axes=[1], keep_dims=true)\ny = sub(x, m)",
     {{1, 3, 10, 20}},
     {-1, 1, -5, 5}},
    {"amax_with_nan",
     "x = input(to=f32, shape=[2,3])\ny = amax(x, axes=[1])",
     {{1, 7, 3, 1, kNan, 3}},
     {7, kNan}},
    {"amin", "x = input(to=i32, shape=[2,3])\ny = amin(x, axes=[1])", {{1, 7, -3, 5, 6, 4}}, {-3, 4}},
    {"var", "x = input(to=f32, shape=[4])\ny = var(x, axes=[0])", {{1, 2, 3, 4}}, {1.25}},
    {"var_corrected",
     "x = input(to=f32, shape=[4])\ny = var(x, axes=[0], correction=1)",
     {{1, 2, 3, 4}},
     {5.0 / 3}},
    {"argmax_first_of_equals",
     "x = input(to=f32, shape=[2,3])\ny = argmax(x, axis=1)",
     {{1, 7, 7, 5, 2, 5}},
     {1, 0}},
    {"argmax_nan_is_largest", "x = input(to=f32, shape=[3])\ny = argmax(x, axis=0)", {{1, kNan, 9}}, {1}},
    // Matmul.
    {"matmul",
     "a = input(to=f32, shape=[2,2])\nb = input(to=f32, shape=[2,2])\ny = matmul(a, b)",
     {{1, 2, 3, 4}, {5, 6, 7, 8}},
     {19, 22, 43, 50}},
    {"matmul_transposed",
     "a = input(to=f32, shape=[2,3])\nb = input(to=f32, shape=[1,2])\n"
     "y = matmul(a, b, transpose_a=true, transpose_b=true)",
     {{1, 2, 3, 4, 5, 6}, {1, 10}},
     {41, 52, 63}},
    {"matmul_broadcasts_batch",
     "a = input(to=f32, shape=[2,1,2])\nb = input(to=f32, shape=[2,1])\ny = matmul(a, b)",
     {{1, 2, 3, 4}, {1, 10}},
     {21, 43}},
    // Views and movement.
    {"permute",
     "x = input(to=f32, shape=[2,3])\ny = permute(x, permutation=[1,0])",
     {{1, 2, 3, 4, 5, 6}},
     {1, 4, 2, 5, 3, 6}},
    {"reshape",
     "x = input(to=f32, shape=[2,3])\nr = reshape(x, shape=[3,-1])\ny = sum(r, axes=[1])",
     {{1, 2, 3, 4, 5, 6}},
     {3, 7, 11}},
    {"slice_steps",
     "x = input(to=f32, shape=[2,4])\ny = slice(x, starts=[1,0], limits=[2,4], steps=[1,3])",
     {{1, 2, 3, 4, 5, 6, 7, 8}},
     {5, 8}},
    {"expand",
     "x = input(to=f32, shape=[2,1])\ny = expand(x, shape=[2,2,2])",
     {{1, 2}},
     {1, 1, 2, 2, 1, 1, 2, 2}},
    {"concat",
     "a = input(to=f32, shape=[2,1])\nb = input(to=f32, shape=[2,2])\ny = concat(a, b, axis=1)",
     {{1, 2}, {3, 4, 5, 6}},
     {1, 3, 4, 2, 5, 6}},
    {"pad",
     "x = input(to=i32, shape=[1,2])\ny = pad(x, before=[0,1], after=[1,0], value=9)",
     {{1, 2}},
     {9, 1, 2, 9, 9, 9}},
    {"gather_rows",
     "x = input(to=f32, shape=[3,2])\ni = input(to=i64, shape=[2])\ny = gather(x, i, axis=0)",
     {{1, 2, 3, 4, 5, 6}, {2, 0}},
     {5, 6, 1, 2}},
    {"gather_columns",
     "x = input(to=f32, shape=[2,3])\ni = input(to=i32, shape=[2])\ny = gather(x, i, axis=1)",
     {{1, 2, 3, 4, 5, 6}, {2, 2}},
     {3, 3, 6, 6}},
    {"scatter_add_repeats",
     "x = input(to=f32, shape=[3])\ni = input(to=i64, shape=[3])\nu = input(to=f32, shape=[3])\n"
     "y = scatter_add(x, i, u, axis=0)",
     {{1, 1, 1}, {2, 0, 2}, {10, 20, 30}},
     {21, 1, 41}},
    {"index_copy_last_wins",
     "x = input(to=i32, shape=[2,3])\ni = input(to=i64, shape=[3])\nu = input(to=i32, shape=[2,3])\n"
     "y = index_copy(x, i, u, axis=1)",
     {{1, 2, 3, 4, 5, 6}, {2, 0, 2}, {10, 20, 30, 40, 50, 60}},
     {20, 2, 30, 50, 5, 60}},
    // Composites.
    {"softmax",
     "x = input(to=f64, shape=[2])\ny = softmax(x, axis=0)",
     {{0, 1.0986122886681098}},
     {0.25, 0.75}},
    {"log_softmax",
     "x = input(to=f64, shape=[2])\ny = log_softmax(x, axis=0)",
     {{0, 0}},
     {-0.6931471805599453, -0.6931471805599453}},
    {"layer_norm", "x = input(to=f64, shape=[2])\ny = layer_norm(x, epsilon=0)", {{1, 3}}, {-1, 1}},
    {"rms_norm",
     "x = input(to=f64, shape=[2])\nw = input(to=f64, shape=[2])\ny = rms_norm(x, w, epsilon=0)",
     {{1, 7}, {5, 10}},
     {1, 14}},
    {"gelu", "x = input(to=f64, shape=[2])\ny = gelu(x)", {{0, 1}}, {0, 0.8413447460685429}},
    {"silu", "x = input(to=f64, shape=[2])\ny = silu(x)", {{0, 2}}, {0, 1.7615941559557646}},
    {"attention_averages_equal_keys",
     "q = input(to=f64, shape=[1,1])\nk = input(to=f64, shape=[2,1])\nv = input(to=f64, shape=[2,1])\n"
     "y = attention(q, k, v)",
     {{1}, {3, 3}, {2, 4}},
     {3}},
    {"attention_causal",
     "q = input(to=f64, shape=[2,1])\nk = input(to=f64, shape=[2,1])\nv = input(to=f64, shape=[2,1])\n"
     "y = attention(q, k, v, causal=true)",
     {{1, 1}, {3, 3}, {2, 4}},
     {2, 3}},
    {"cross_entropy",
     "x = input(to=f64, shape=[2,2])\nt = input(to=i64, shape=[2])\ny = cross_entropy(x, t)",
     {{0, 0, 0, 1.0986122886681098}, {1, 1}},
     {(0.6931471805599453 + 0.2876820724517809) / 2}},
    {"dropout_of_nothing",
     "x = input(to=f32, shape=[2])\ny = dropout(x, probability=0, counter=1)",
     {{1, 2}},
     {1, 2}},
};

class Op : public testing::TestWithParam<Case> {};

TEST_P(Op, HasTheValueWorkedByHand) {
  const Case& c = GetParam();
  const ir::Graph graph = graph_of(fmt::format("graph one\n{}\nreturn y=y\n", c.body));
  const auto values = evaluate(graph, tensors_of(graph, c.inputs));
  ASSERT_TRUE(values.has_value()) << values.error().message;
  const Numbers found = numbers_of((*values)[0]);
  ASSERT_EQ(found.size(), c.want.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (std::isnan(c.want[i])) {
      EXPECT_TRUE(std::isnan(found[i])) << "element " << i << ": " << found[i];
    } else if (std::isinf(c.want[i])) {
      EXPECT_EQ(found[i], c.want[i]) << "element " << i;
    } else {
      // A few roundings of doubles, in composites.
      EXPECT_NEAR(found[i], c.want[i], 1e-14 * std::fabs(c.want[i])) << "element " << i;
    }
  }
}

std::string name_of(const testing::TestParamInfo<Case>& param) { return std::string(param.param.name); }
INSTANTIATE_TEST_SUITE_P(Cases, Op, testing::ValuesIn(kCases), name_of);

TEST(RandomUniform, IsThePhiloxStream) {
  const ir::Graph graph = graph_of(
      "graph r\nx = random_uniform(shape=[6], to=f32, seed=3, counter=5)\ny = cast(x, to=f64)\nreturn y=y\n");
  const auto values = evaluate(graph, {});
  ASSERT_TRUE(values.has_value());
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ((*values)[0].reals[i], static_cast<double>(ir::random_uniform(3, 5, i)));
  }
}

TEST(Dropout, DropsAboutItsShareAndScalesTheRest) {
  const ir::Graph graph = graph_of(
      "graph d\nx = input(to=f32, shape=[4000])\ny = dropout(x, probability=0.25, seed=1, counter=1)\nreturn "
      "y=y\n");
  const auto values = evaluate(graph, tensors_of(graph, {Numbers(4000, 3.0)}));
  ASSERT_TRUE(values.has_value());
  const std::vector<double>& y = (*values)[0].reals;
  const auto dropped = std::ranges::count(y, 0.0);
  EXPECT_NEAR(static_cast<double>(dropped), 1000,
              4 * std::sqrt(4000 * 0.25 * 0.75));  // four standard deviations
  EXPECT_EQ(std::ranges::count_if(y, [](double v) { return std::fabs(v - 4) < 1e-6; }) + dropped, 4000);
}

TEST(Evaluate, ReturnsStateAndLeavesInputs) {
  const ir::Graph graph = graph_of(
      "graph s\nx = input(to=f32, shape=[1])\ny = add(x, x)\nz = mul(x, x)\nreturn a=y updates x, b=z\n");
  const std::vector<ir::HostTensor> inputs = tensors_of(graph, {{3}});
  const auto values = evaluate(graph, inputs);
  ASSERT_TRUE(values.has_value());
  EXPECT_EQ((*values)[0].reals[0], 6);
  EXPECT_EQ((*values)[1].reals[0], 9);
  EXPECT_EQ(ir::get(inputs[0], 0), 3);
}

TEST(EvaluateAll, HasEveryNodeAlsoDeadOnes) {
  const ir::Graph graph =
      graph_of("graph s\nx = input(to=f32, shape=[1])\ny = add(x, x)\nz = mul(x, x)\nreturn a=y\n");
  const auto values = evaluate_all(graph, tensors_of(graph, {{3}}));
  ASSERT_TRUE(values.has_value());
  ASSERT_EQ(values->size(), 3U);
  EXPECT_EQ((*values)[2].reals[0], 9);
}

struct Refusal {
  std::string_view name;
  std::string_view body;
  std::vector<Numbers> inputs;
  std::string_view where;
  std::string_view message;
};

const std::vector<Refusal> kRefusals{
    {"gather_beyond",
     "x = input(to=f32, shape=[2])\ni = input(to=i64, shape=[1])\ny = gather(x, i, axis=0)",
     {{1, 2}, {2}},
     "one: %2",
     "gather: index 2 is out of range for extent 2"},
    {"gather_negative",
     "x = input(to=f32, shape=[2])\ni = input(to=i64, shape=[1])\ny = gather(x, i, axis=0)",
     {{1, 2}, {-1}},
     "one: %2",
     "gather: index -1 is out of range for extent 2"},
    {"scatter_beyond",
     "x = input(to=f32, shape=[2])\ni = input(to=i64, shape=[1])\nu = input(to=f32, shape=[1])\n"
     "y = scatter_add(x, i, u, axis=0)",
     {{1, 2}, {7}, {1}},
     "one: %3",
     "scatter_add: index 7 is out of range for extent 2"},
    {"index_copy_beyond",
     "x = input(to=f32, shape=[2])\ni = input(to=i64, shape=[1])\nu = input(to=f32, shape=[1])\n"
     "y = index_copy(x, i, u, axis=0)",
     {{1, 2}, {-7}, {1}},
     "one: %3",
     "index_copy: index -7 is out of range for extent 2"},
    {"too_few_inputs", "x = input(to=f32, shape=[2])\ny = neg(x)", {}, "one", "expected 1 inputs, found 0"},
};

class Refused : public testing::TestWithParam<Refusal> {};

TEST_P(Refused, NamesNodeAndReason) {
  const ir::Graph graph = graph_of(fmt::format("graph one\n{}\nreturn y=y\n", GetParam().body));
  const auto values = evaluate(graph, tensors_of(graph, GetParam().inputs));
  ASSERT_FALSE(values.has_value());
  EXPECT_EQ(values.error().code, ErrorCode::BadInput);
  EXPECT_EQ(values.error().where, GetParam().where);
  EXPECT_EQ(values.error().message, GetParam().message);
}

std::string refusal_name(const testing::TestParamInfo<Refusal>& param) {
  return std::string(param.param.name);
}
INSTANTIATE_TEST_SUITE_P(Cases, Refused, testing::ValuesIn(kRefusals), refusal_name);

TEST(Evaluate, RefusesAnInputOfAnotherType) {
  const ir::Graph graph = graph_of("graph one\nx = input(to=f32, shape=[2])\ny = neg(x)\nreturn y=y\n");
  const std::vector<ir::HostTensor> inputs{ir::make_tensor({.dtype = ir::DType::F32, .shape = {3}})};
  const auto values = evaluate(graph, inputs);
  ASSERT_FALSE(values.has_value());
  EXPECT_EQ(values.error().message, "input 'x': expected f32[2], found f32[3]");
}

}  // namespace
}  // namespace foretell::interp
