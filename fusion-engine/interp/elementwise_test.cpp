// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <set>

#include "fusion-engine/interp/test_graph.hpp"

namespace foretell::interp {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kLowest32 = -2147483648.0;
constexpr double kLargest32 = 2147483647.0;

struct Case {
  std::string_view op;
  std::string_view dtype;  // of the operands; a `where` has a bool in front
  std::vector<Numbers> operands;
  Numbers want;
};

// Worked by hand, or from tables of the functions to 16 digits.
const std::vector<Case> kCases{
    {"neg", "f64", {{1, -2, 0}}, {-1, 2, 0}},
    {"neg", "i32", {{5, kLowest32}}, {-5, kLowest32}},
    {"abs", "f32", {{-1.5, 2, -kInf}}, {1.5, 2, kInf}},
    {"abs", "i32", {{-7, kLowest32}}, {7, kLowest32}},
    {"sign", "f32", {{-3, 0, 0.5, kNan}}, {-1, 0, 1, kNan}},
    {"sign", "i64", {{-3, 0, 9}}, {-1, 0, 1}},
    {"floor", "f32", {{1.5, -1.5, 2}}, {1, -2, 2}},
    {"ceil", "f32", {{1.5, -1.5, 2}}, {2, -1, 2}},
    {"round", "f32", {{0.5, 1.5, 2.5, -0.5, 2.75}}, {0, 2, 2, 0, 3}},
    {"sqrt", "f64", {{4, 2, 0, -1}}, {2, 1.4142135623730951, 0, kNan}},
    {"rsqrt", "f64", {{4, 0}}, {0.5, kInf}},
    {"reciprocal", "f32", {{4, -0.5, 0}}, {0.25, -2, kInf}},
    {"square", "f32", {{-3, 0.5}}, {9, 0.25}},
    {"square", "i32", {{65536, 3}}, {0, 9}},
    {"relu", "f32", {{-1, 0, 2, kNan}}, {0, 0, 2, kNan}},
    {"relu", "i32", {{-1, 7}}, {0, 7}},
    {"relu_grad", "f32", {{-1, 0, 2, kNan}, {3, 3, 3, 3}}, {0, 0, 3, 0}},
    {"tanh_grad", "f64", {{0, 0.5, -1, 1}, {3, 4, 5, 6}}, {3, 3, 0, 0}},
    {"sigmoid_grad", "f64", {{0, 0.5, 0.25, 1}, {3, 4, 16, 6}}, {0, 1, 3, 0}},
    {"exp", "f64", {{0, 1, -kInf}}, {1, 2.718281828459045, 0}},
    {"expm1", "f64", {{0, 1e-10}}, {0, 1.00000000005e-10}},
    {"log", "f64", {{1, 10, 0, -1}}, {0, 2.302585092994046, -kInf, kNan}},
    {"log1p", "f64", {{0, 1e-10, -1}}, {0, 9.9999999995e-11, -kInf}},
    {"sin", "f64", {{0, 1}}, {0, 0.8414709848078965}},
    {"cos", "f64", {{0, 1}}, {1, 0.5403023058681398}},
    {"tanh", "f64", {{0, 1, 100}}, {0, 0.7615941559557649, 1}},
    {"sigmoid", "f64", {{0, 2, -800, 800}}, {0.5, 0.8807970779778823, 0, 1}},
    {"erf", "f64", {{0, 1}}, {0, 0.8427007929497149}},
    {"not", "bool", {{0, 1}}, {1, 0}},
    {"add", "f32", {{1, 2}, {0.5, -2}}, {1.5, 0}},
    {"add", "i32", {{kLargest32}, {1}}, {kLowest32}},
    {"sub", "f32", {{1}, {3}}, {-2}},
    {"sub", "i32", {{kLowest32}, {1}}, {kLargest32}},
    {"mul", "f32", {{1.5}, {-2}}, {-3}},
    {"mul", "i32", {{kLargest32}, {kLargest32}}, {1}},
    {"div", "f64", {{1, -1, 0}, {4, 0, 0}}, {0.25, -kInf, kNan}},
    {"div", "i32", {{7, -7, 7, kLowest32}, {2, 2, 0, -1}}, {3, -3, 0, kLowest32}},
    {"pow", "f64", {{2, 4, -2}, {10, 0.5, 3}}, {1024, 2, -8}},
    {"maximum", "f32", {{1, kNan, 1}, {2, 1, kNan}}, {2, kNan, kNan}},
    {"maximum", "i64", {{1, -5}, {2, -9}}, {2, -5}},
    {"minimum", "f32", {{1, kNan, 1}, {2, 1, kNan}}, {1, kNan, kNan}},
    {"eq", "f32", {{1, 1, kNan}, {1, 2, kNan}}, {1, 0, 0}},
    {"ne", "f32", {{1, 1, kNan}, {1, 2, kNan}}, {0, 1, 1}},
    {"lt", "i32", {{1, 2, 3}, {2, 2, 2}}, {1, 0, 0}},
    {"le", "i32", {{1, 2, 3}, {2, 2, 2}}, {1, 1, 0}},
    {"gt", "f32", {{1, 2, 3, kNan}, {2, 2, 2, 0}}, {0, 0, 1, 0}},
    {"ge", "f32", {{1, 2, 3}, {2, 2, 2}}, {0, 1, 1}},
    {"eq", "bool", {{0, 1}, {1, 1}}, {0, 1}},
    {"and", "bool", {{0, 0, 1, 1}, {0, 1, 0, 1}}, {0, 0, 0, 1}},
    {"or", "bool", {{0, 0, 1, 1}, {0, 1, 0, 1}}, {0, 1, 1, 1}},
    {"xor", "bool", {{0, 0, 1, 1}, {0, 1, 0, 1}}, {0, 1, 1, 0}},
    {"where", "f32", {{1, 0}, {1, 2}, {3, 4}}, {1, 4}},
    {"where", "bool", {{1, 0}, {1, 1}, {0, 0}}, {1, 0}},
    {"clamp", "f32", {{-5, 0.5, 5}, {0, 0, 0}, {1, 1, 1}}, {0, 0.5, 1}},
    {"clamp", "i32", {{-5, 5}, {0, 0}, {3, 3}}, {0, 3}},
    {"fma", "f64", {{2}, {3}, {4}}, {10}},
};

ir::Graph graph_for(const Case& c) {
  std::string text = "graph one\n";
  std::string operands;
  for (std::size_t i = 0; i < c.operands.size(); ++i) {
    const bool is_condition = c.op == "where" && i == 0;
    text += fmt::format("x{} = input(to={}, shape=[{}])\n", i, is_condition ? "bool" : c.dtype,
                        c.operands[i].size());
    operands += fmt::format("{}x{}", i > 0 ? ", " : "", i);
  }
  return graph_of(text + fmt::format("y = {}({})\nreturn y=y\n", c.op, operands));
}

void expect_numbers(const Numbers& found, const Numbers& want) {
  ASSERT_EQ(found.size(), want.size());
  for (std::size_t i = 0; i < want.size(); ++i) {
    if (std::isnan(want[i])) {
      EXPECT_TRUE(std::isnan(found[i])) << "element " << i << ": " << found[i];
    } else {
      EXPECT_DOUBLE_EQ(found[i], want[i]) << "element " << i;
    }
  }
}

class Elementwise : public testing::TestWithParam<Case> {};

TEST_P(Elementwise, HasTheValueWorkedByHand) {
  const Case& c = GetParam();
  const ir::Graph graph = graph_for(c);
  const auto values = evaluate(graph, tensors_of(graph, c.operands));
  ASSERT_TRUE(values.has_value()) << values.error().message;
  expect_numbers(numbers_of((*values)[0]), c.want);
}

std::string name_of(const testing::TestParamInfo<Case>& param) {
  return fmt::format("{}_{}_{}", param.param.op, param.param.dtype, param.index);
}
INSTANTIATE_TEST_SUITE_P(Rows, Elementwise, testing::ValuesIn(kCases), name_of);

TEST(Elementwise, EveryRowHasACase) {
  std::set<std::string_view> covered;
  for (const Case& c : kCases) {
    covered.insert(c.op);
  }
  for (const ir::OpInfo& op : ir::all_ops()) {
    if (op.category == ir::Category::Elementwise) {
      EXPECT_TRUE(covered.contains(op.name)) << op.name;
    }
  }
}

TEST(Elementwise, BroadcastsOperands) {
  const ir::Graph graph = graph_of(
      "graph b\nx = input(to=f32, shape=[2,1])\ny = input(to=f32, shape=[3])\nz = mul(x, y)\nreturn z=z\n");
  const auto values = evaluate(graph, tensors_of(graph, {{2, 10}, {1, 2, 3}}));
  ASSERT_TRUE(values.has_value());
  EXPECT_EQ(numbers_of((*values)[0]), (Numbers{2, 4, 6, 10, 20, 30}));
}

TEST(Elementwise, KeepsAll64BitsOfIntegers) {
  const ir::Graph graph =
      graph_of("graph wide\nx = input(to=i64, shape=[1])\ny = add(x, x)\nz = sub(y, x)\nreturn z=z\n");
  ir::HostTensor x = ir::make_tensor(graph.type(graph.inputs()[0]));
  const std::int64_t value = 0x7FFF'FFFF'FFFF'FFF1;
  std::memcpy(x.bytes.data(), &value, sizeof value);
  const auto values = evaluate(graph, std::vector{x});
  ASSERT_TRUE(values.has_value());
  EXPECT_EQ((*values)[0].integers[0], value);
}

}  // namespace
}  // namespace foretell::interp
