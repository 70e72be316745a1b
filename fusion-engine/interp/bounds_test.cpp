// SPDX-License-Identifier: Apache-2.0
// The error bounds: they hold for real arithmetic, and they are not so wide that they prove nothing.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "fusion-engine/interp/drift.hpp"
#include "fusion-engine/interp/error_model.hpp"
#include "fusion-engine/interp/test_graph.hpp"
#include "fusion-engine/ir/copy_nodes.hpp"

namespace foretell::interp {
namespace {

constexpr EvaluateOptions kWithBounds{.bounds = true};

// The graph in f64 with every result rounded to the dtype it had: what an implementation in that dtype
// computes, up to the order of sums.
ir::Graph rounded_everywhere(const ir::Graph& graph) {
  ir::Graph result(graph.name());
  const auto cast = [&](ir::NodeId id, ir::DType to) {
    return result.add(ir::OpKind::Cast, {id}, {{ir::AttrKey::To, to}}).value();
  };
  const auto make = [&](ir::NodeId old, const std::vector<ir::NodeId>& operands) {
    const ir::Node& node = graph.node(old);
    const bool is_real = ir::is_float(node.type.dtype);
    ir::Attributes attributes = node.attributes;
    if (is_real && attributes.find(ir::AttrKey::To) != nullptr) {
      attributes.set(ir::AttrKey::To, ir::DType::F64);
    }
    const ir::NodeId id = result.add(node.op, operands, attributes).value();
    if (!is_real || node.type.dtype == ir::DType::F64) {
      return id;
    }
    return cast(cast(cast(id, ir::compute_type(node.type.dtype)), node.type.dtype), ir::DType::F64);
  };
  ir::copy_outputs(result, graph.outputs(),
                   ir::copy_nodes(graph, std::vector<bool>(graph.size(), true), make));
  return result;
}

struct Chain {
  std::string_view name;
  std::string_view body;  // of x: 64 numbers in [-1, 1)
};

const std::vector<Chain> kChains{
    {"arithmetic", "a = add(x, x)\nb = mul(a, x)\nc = sub(b, x)\ny = mul(c, c)"},
    {"cancellation",
     "c = constant(value=0.1, to=T)\na = mul(x, c)\nb = add(a, x)\nd = sub(b, x)\ny = sub(d, a)"},
    {"transcendental",
     "a = exp(x)\nb = tanh(a)\nc = erf(b)\nd = sigmoid(c)\ne = sin(d)\nf = cos(e)\ny = log(f)"},
    {"roots",
     "a = square(x)\nc = constant(value=0.5, to=T)\nb = add(a, c)\nd = rsqrt(b)\ne = sqrt(d)\ny = "
     "reciprocal(e)"},
    {"division", "c = constant(value=1.5, to=T)\na = add(x, c)\nb = div(x, a)\ny = div(b, a)"},
    {"power", "c = constant(value=1.5, to=T)\na = add(x, c)\ny = pow(a, x)"},
    {"kinks", "a = relu(x)\nb = abs(a)\nd = maximum(b, x)\nz = mul(d, d)\ny = minimum(z, d)"},
    {"logarithms", "a = square(x)\nb = log1p(a)\ny = expm1(b)"},
    {"sum", "a = mul(x, x)\nb = sum(a, axes=[0], keep_dims=true)\ny = div(x, b)"},
    {"mean_and_var",
     "m = mean(x, axes=[0], keep_dims=true)\nv = var(x, axes=[0], keep_dims=true)\n"
     "d = sub(x, m)\ny = div(d, v)"},
    {"fma", "a = fma(x, x, x)\ny = fma(a, a, x)"},
    {"where", "a = mul(x, x)\nc = lt(a, x)\ny = where(c, a, x)"},
};

std::string replace_type(std::string_view body, std::string_view dtype) {
  std::string text = fmt::format("graph one\nx = input(to={}, shape=[64])\n{}\nreturn y=y\n", dtype, body);
  for (std::size_t at = text.find("=T"); at != std::string::npos; at = text.find("=T")) {
    text.replace(at + 1, 1, dtype);
  }
  return text;
}

class Bounds : public testing::TestWithParam<std::tuple<Chain, std::string_view>> {};

TEST_P(Bounds, CoverRoundedEvaluation) {
  const auto& [chain, dtype] = GetParam();
  const ir::Graph graph = graph_of(replace_type(chain.body, dtype));
  const std::vector<ir::HostTensor> inputs{ir::random_tensor(graph.type(graph.inputs()[0]), 7)};
  const auto reference = evaluate(graph, inputs, kWithBounds);
  ASSERT_TRUE(reference.has_value());

  const ir::Graph rounded = rounded_everywhere(graph);
  ir::HostTensor wide = ir::make_tensor(rounded.type(rounded.inputs()[0]));
  for (std::int64_t i = 0; i < 64; ++i) {
    ir::set(wide, i, ir::get(inputs[0], i));
  }
  const auto actual = evaluate(rounded, std::vector{wide});
  ASSERT_TRUE(actual.has_value());
  const Value& want = (*reference)[0];
  const double unit = ir::info(want.type.dtype).unit_roundoff();
  std::size_t tight = 0;
  for (std::size_t i = 0; i < 64; ++i) {
    const double error = std::fabs((*actual)[0].reals[i] - want.reals[i]);
    EXPECT_LE(error, want.bounds[i]) << "element " << i << " of " << want.reals[i];
    tight += want.bounds[i] <= 800 * unit * std::fmax(1, std::fabs(want.reals[i])) ? 1U : 0U;
  }
  // A few hundred roundings at most: sums of 64 terms, and transcendental ops counted as 8 each;
  // twice that in f64.
  EXPECT_GE(tight, 48U);
}

std::string name_of(const testing::TestParamInfo<std::tuple<Chain, std::string_view>>& param) {
  return fmt::format("{}_{}", std::get<0>(param.param).name, std::get<1>(param.param));
}
INSTANTIATE_TEST_SUITE_P(Chains, Bounds,
                         testing::Combine(testing::ValuesIn(kChains),
                                          testing::Values("f32", "f64", "bf16", "f16")),
                         name_of);

// Sums in any order: front to back, back to front, and in eight lanes.
TEST(Bounds, CoverEveryOrderOfSummation) {
  const ir::Graph graph =
      graph_of("graph one\nx = input(to=f32, shape=[4096])\ny = sum(x, axes=[0])\nreturn y=y\n");
  const std::vector<ir::HostTensor> inputs{ir::random_tensor(graph.type(graph.inputs()[0]), 3)};
  const auto reference = evaluate(graph, inputs, kWithBounds);
  ASSERT_TRUE(reference.has_value());
  std::vector<float> x;
  for (std::int64_t i = 0; i < 4096; ++i) {
    x.push_back(static_cast<float>(ir::get(inputs[0], i)));
  }
  std::array<float, 8> lanes{};
  for (std::size_t i = 0; i < x.size(); ++i) {
    lanes[i % 8] += x[i];
  }
  const float orders[]{std::accumulate(x.begin(), x.end(), 0.0F), std::accumulate(x.rbegin(), x.rend(), 0.0F),
                       std::accumulate(lanes.begin(), lanes.end(), 0.0F)};
  for (const float sum : orders) {
    EXPECT_LE(std::fabs(static_cast<double>(sum) - (*reference)[0].reals[0]), (*reference)[0].bounds[0]);
  }
}

TEST(Bounds, MatmulCoversSinglePrecision) {
  const ir::Graph graph = graph_of(
      "graph one\na = input(to=f32, shape=[3,500])\nb = input(to=f32, shape=[500,2])\ny = matmul(a, b)\n"
      "return y=y\n");
  const std::vector<ir::HostTensor> inputs{ir::random_tensor(graph.type(graph.inputs()[0]), 1),
                                           ir::random_tensor(graph.type(graph.inputs()[1]), 2)};
  const auto reference = evaluate(graph, inputs, kWithBounds);
  ASSERT_TRUE(reference.has_value());
  for (std::int64_t i = 0; i < 3; ++i) {
    for (std::int64_t j = 0; j < 2; ++j) {
      float sum = 0;
      for (std::int64_t k = 0; k < 500; ++k) {
        sum += static_cast<float>(ir::get(inputs[0], i * 500 + k)) *
               static_cast<float>(ir::get(inputs[1], k * 2 + j));
      }
      const auto at = static_cast<std::size_t>(i * 2 + j);
      EXPECT_LE(std::fabs(static_cast<double>(sum) - (*reference)[0].reals[at]), (*reference)[0].bounds[at]);
      EXPECT_LE((*reference)[0].bounds[at], 1e-2);
    }
  }
}

// A third that f32 rounds, so that what follows may fall either way.
constexpr std::string_view kThird =
    "graph one\nx = input(to=f32, shape=[1])\nc = constant(value=3, to=f32)\n"
    "t = div(x, c)\n";

struct Either {
  std::string_view name;
  std::string_view body;  // of x = 1 and its third t
  bool undetermined;
};

const std::vector<Either> kEither{
    {"comparison_of_near_values", "e = mul(t, c)\ny = lt(e, x)", true},
    {"comparison_of_far_values", "y = lt(t, x)", false},
    {"floor_at_a_step", "e = mul(t, c)\ny = floor(e)", true},
    {"floor_between_steps", "y = floor(t)", false},
    {"sign_at_zero", "e = mul(t, c)\nd = sub(e, x)\ny = sign(d)", true},
    {"cast_to_int_at_a_step", "e = mul(t, c)\ny = cast(e, to=i32)", true},
    {"cast_to_bool_at_zero", "e = mul(t, c)\nd = sub(e, x)\ny = cast(d, to=bool)", true},
    {"pole", "e = mul(t, c)\nd = sub(e, x)\ny = reciprocal(d)", true},
    {"root_at_zero", "e = mul(t, c)\nd = sub(e, x)\ny = sqrt(d)", true},
    {"select_by_an_undetermined_condition", "e = mul(t, c)\nb = lt(e, x)\ny = where(b, t, x)", false},
    {"undetermined_arm_not_taken", "e = mul(t, c)\nf = floor(e)\nb = lt(t, x)\ny = where(b, x, f)", false},
    {"and_with_false", "e = mul(t, c)\nb = lt(e, x)\nf = lt(x, t)\ny = and(b, f)", false},
    {"undetermined_integer_may_be_any",
     "e = mul(t, c)\ni = cast(e, to=i32)\nk = constant(value=5, to=i32)\ny = eq(i, k)", true},
    {"undetermined_truth_compared", "e = mul(t, c)\nb = lt(e, x)\nf = lt(x, t)\ny = ne(b, f)", true},
    {"equality_of_overlapping_values", "e = mul(t, c)\nf = mul(e, c)\nd = div(f, c)\ny = eq(d, x)", true},
    {"undetermined_integer_not_selected",
     "e = mul(t, c)\ni = cast(e, to=i32)\nk = constant(value=5, to=i32)\nb = lt(t, x)\ny = where(b, k, i)",
     false},
    {"undetermined_spreads", "e = mul(t, c)\nf = floor(e)\ny = add(f, x)", true},
    {"argmax_of_near_values", "e = mul(t, c)\nj = concat(e, x, axis=0)\ny = argmax(j, axis=0)", true},
    {"argmax_of_far_values", "j = concat(t, x, axis=0)\ny = argmax(j, axis=0)", false},
    {"overflow", "h = constant(value=3e38, to=f32)\ny = mul(h, c)", true},
    {"infinity_for_certain", "z = sub(x, x)\ni = input(to=f32, shape=[1])\ny = log(i)", false},
    {"interval_of_the_product_is_finite", "y = mul(t, t)", false},
};

class Determined : public testing::TestWithParam<Either> {};

TEST_P(Determined, AsTheOperandsAllow) {
  const ir::Graph graph = graph_of(fmt::format("{}{}\nreturn y=y\n", kThird, GetParam().body));
  std::vector<Numbers> inputs{{1}};
  inputs.resize(graph.inputs().size(), {0});
  const auto values = evaluate(graph, tensors_of(graph, inputs), kWithBounds);
  ASSERT_TRUE(values.has_value()) << values.error().message;
  EXPECT_EQ((*values)[0].bounds[0] == kUndetermined, GetParam().undetermined) << (*values)[0].bounds[0];
}

std::string either_name(const testing::TestParamInfo<Either>& param) { return std::string(param.param.name); }
INSTANTIATE_TEST_SUITE_P(Cases, Determined, testing::ValuesIn(kEither), either_name);

TEST(Bounds, SelectingEitherArmIsBoundedByTheirDistance) {
  const ir::Graph graph =
      graph_of(fmt::format("{}e = mul(t, c)\nb = lt(e, x)\ny = where(b, t, x)\nreturn y=y\n", kThird));
  const auto values = evaluate(graph, tensors_of(graph, {{1}}), kWithBounds);
  ASSERT_TRUE(values.has_value());
  EXPECT_NEAR((*values)[0].bounds[0], 2.0 / 3, 1e-6);
}

TEST(Bounds, ExactOpsOfExactValuesHaveNone) {
  const ir::Graph graph = graph_of(
      "graph one\nx = input(to=f32, shape=[1])\na = neg(x)\nb = maximum(a, x)\nc = relu(b)\ny = floor(c)\n"
      "return y=y\n");
  const auto values = evaluate(graph, tensors_of(graph, {{1.25}}), kWithBounds);
  ASSERT_TRUE(values.has_value());
  EXPECT_EQ((*values)[0].bounds[0], 0);
}

TEST(ErrorModel, EveryOpHasItsUlpAndUnits) {
  for (const ir::OpInfo& op : ir::all_ops()) {
    if (op.category == ir::Category::Elementwise) {
      EXPECT_LE(rounding_units(op.kind), 2.0 * op.ulp) << op.name;
      EXPECT_EQ(rounding_units(op.kind) == 0, op.evaluation == ir::Evaluation::Exact) << op.name;
    }
  }
}

}  // namespace
}  // namespace foretell::interp
