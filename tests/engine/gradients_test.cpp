// SPDX-License-Identifier: Apache-2.0
// The rule of every row of the op table against central differences, in several layouts and with several
// attributes; and once more the gradients' own gradients.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "fusion-engine/interp/interpreter.hpp"
#include "fusion-engine/ir/text.hpp"
#include "fusion-engine/ir/verify.hpp"
#include "fusion-engine/passes/vjp.hpp"
#include "tests/engine/gradient_check.hpp"
#include "tests/engine/op_row_graphs.hpp"
#include "tests/engine/random_graph.hpp"

namespace foretell::tests {
namespace {

constexpr std::uint64_t kSeed = 3;

bool has_special_input(const ir::Graph& graph) {
  return std::ranges::any_of(graph.inputs(), [&](ir::NodeId id) {
    return graph.node(id).attributes.text(ir::AttrKey::Name).starts_with("special_");
  });
}

// A quarter away from -1, 0 and 1, where poles and kinks are; on both sides of it, or in the domain of
// logarithms and roots.
enum class Side : std::uint8_t { Both, Positive };

std::vector<ir::HostTensor> inputs_beside_zero(const ir::Graph& graph, Side side) {
  std::vector<ir::HostTensor> inputs = inputs_for(graph, kSeed);
  for (ir::HostTensor& x : inputs) {
    for (std::int64_t i = 0; ir::is_float(x.type.dtype) && i < ir::elements(x.type.shape); ++i) {
      const double value = ir::get(x, i);
      ir::set(x, i, std::copysign(0.25 + std::fabs(value) / 2, side == Side::Both ? value : 1));
    }
  }
  return inputs;
}

// How often the gradients of the op's graph could be compared.
std::size_t check(const ir::Graph& with_loss) {
  std::size_t compared = 0;
  for (const Side side : {Side::Both, Side::Positive}) {
    const GradientCheck found = check_gradients(with_loss, inputs_beside_zero(with_loss, side));
    EXPECT_EQ(found.faults, "") << ir::print(with_loss);
    compared += found.is_finite ? 1 : 0;
  }
  return compared;
}

// Differences say nothing of what rounds.
bool rounds(const ir::Graph& graph) {
  return std::ranges::any_of(graph.nodes(), [&](const ir::Node& node) {
    return node.op == ir::OpKind::Cast && ir::is_float(node.type.dtype) &&
           !ir::holds_exactly(node.type.dtype, graph.type(node.operands[0]).dtype);
  });
}

std::vector<ir::Graph> differentiable_graphs_of(const ir::OpInfo& op) {
  std::vector<ir::Graph> graphs;
  for (const ir::Graph& graph : graphs_of(op, ir::DType::F64)) {
    if (!has_special_input(graph) && !parameters_of(graph).empty() && !rounds(graph)) {
      graphs.push_back(with_loss(graph));
    }
  }
  return graphs;
}

// The largest difference between finite elements, of the largest of `want`.
double difference(const interp::Value& found, const interp::Value& want) {
  double largest = 0;
  double difference = 0;
  for (std::size_t i = 0; i < want.reals.size(); ++i) {
    if (std::isfinite(want.reals[i])) {
      largest = std::fmax(largest, std::fabs(want.reals[i]));
      difference = std::fmax(difference, std::fabs(found.reals[i] - want.reals[i]));
    }
  }
  return largest == 0 ? difference : difference / largest;
}

class Gradients : public testing::TestWithParam<ir::OpInfo> {
 protected:
  const ir::OpInfo& op() const { return GetParam(); }
  // Of the others no graph has an input to differentiate by.
  bool takes_floats() const { return op().max_arity > 0 && op().types != ir::TypeRule::Logical; }
};

TEST_P(Gradients, AgreeWithDifferences) {
  std::size_t compared = 0;
  for (const ir::Graph& graph : differentiable_graphs_of(op())) {
    compared += check(graph);
  }
  EXPECT_TRUE(compared > 0 || !takes_floats());
}

TEST_P(Gradients, HaveGradientsThatAgreeWithDifferences) {
  std::size_t compared = 0;
  for (const ir::Graph& graph : differentiable_graphs_of(op())) {
    compared += check(with_loss(gradients_of(graph)));
  }
  EXPECT_TRUE(compared > 0 || !takes_floats());
}

TEST_P(Gradients, AreThereOrStopOnPurpose) {
  const bool stops = std::ranges::find(passes::stopping_ops(), op().kind) != passes::stopping_ops().end();
  EXPECT_NE(passes::find_vjp(op().kind) != nullptr, stops) << "neither a rule nor a reason, or both";
}

// An op's gradients in a narrow type are those of the same numbers in f64, but for what rounds to the type on
// the way: casts, and constants.
TEST_P(Gradients, AreAlikeInAllFloatTypes) {
  constexpr double kRoundings = 16;          // to the type
  constexpr double kComputeRoundings = 256;  // to the one computed in, some of them in differences
  for (const ir::DType dtype : {ir::DType::F32, ir::DType::BF16, ir::DType::F16}) {
    const double tolerance = kRoundings * ir::info(dtype).unit_roundoff() +
                             kComputeRoundings * ir::info(ir::compute_type(dtype)).unit_roundoff();
    const auto narrow_graphs = graphs_of(op(), dtype);
    const auto wide_graphs = graphs_of(op(), ir::DType::F64);
    ASSERT_EQ(narrow_graphs.size(), wide_graphs.size());
    for (std::size_t g = 0; g < wide_graphs.size(); ++g) {
      if (has_special_input(wide_graphs[g]) || parameters_of(wide_graphs[g]).empty()) {
        continue;
      }
      const ir::Graph narrow = gradients_of(with_loss(narrow_graphs[g]));
      const ir::Graph wide = gradients_of(with_loss(wide_graphs[g]));
      EXPECT_TRUE(ir::verify(narrow).has_value());
      // Of positive numbers, so that sums don't cancel.
      const std::vector<ir::HostTensor> inputs = inputs_beside_zero(narrow, Side::Positive);
      std::vector<ir::HostTensor> same = inputs_for(wide, kSeed);
      for (std::size_t i = 0; i < same.size(); ++i) {
        for (std::int64_t k = 0; k < ir::elements(same[i].type.shape); ++k) {
          ir::set(same[i], k, ir::get(inputs[i], k));
        }
      }
      const auto found = interp::evaluate(narrow, inputs);
      const auto want = interp::evaluate(wide, same);
      ASSERT_TRUE(found.has_value() && want.has_value());
      // Random numbers are others in another type; a cast is another function.
      for (std::size_t i = 0; i < found->size() && !ir::is_random(op().kind) && !rounds(wide_graphs[g]);
           ++i) {
        EXPECT_EQ((*found)[i].type.dtype, dtype);
        EXPECT_LE(difference((*found)[i], (*want)[i]), tolerance) << ir::print(narrow);
      }
    }
  }
}

std::string op_name(const testing::TestParamInfo<ir::OpInfo>& param) { return std::string(param.param.name); }
INSTANTIATE_TEST_SUITE_P(Rows, Gradients, testing::ValuesIn(ir::all_ops().begin(), ir::all_ops().end()),
                         op_name);

}  // namespace
}  // namespace foretell::tests
