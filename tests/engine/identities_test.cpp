// SPDX-License-Identifier: Apache-2.0
// The identities of simplify hold for every number: both sides of each, over the numbers that implementations
// trip over, to the bit (NaN's payload aside).
#include <gtest/gtest.h>

#include <limits>

#include "fusion-engine/interp/interpreter.hpp"
#include "fusion-engine/passes/simplify_cases.hpp"
#include "tests/engine/choices.hpp"
#include "tests/engine/executor_check.hpp"

namespace foretell::tests {
namespace {

using passes::PassCase;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kReals[]{0.0,       -0.0,       std::numeric_limits<double>::quiet_NaN(),
                          kInfinity, -kInfinity, 1.0,
                          -1.0,      1.5,        -2.5,
                          0.5,       3e38,       -3e38,
                          1e-38,     -1e-40,     1e-45,
                          0.1};
constexpr double kIntegers[]{0, 1, -1, 2, -7, 16777217, 2147483647, -2147483648};
// So many draws of six pairs that each pair of numbers comes up, but for a chance of about one in 100 each:
// (1 - 1/256)^1200.
constexpr std::uint64_t kDraws = 200;

std::vector<ir::HostTensor> contents(const ir::Graph& graph, std::uint64_t seed) {
  Choices choose(seed);
  std::vector<ir::HostTensor> tensors;
  for (const ir::NodeId input : graph.inputs()) {
    ir::HostTensor& tensor = tensors.emplace_back(ir::make_tensor(graph.type(input)));
    for (std::int64_t i = 0; i < ir::elements(tensor.type.shape); ++i) {
      const bool is_real = ir::is_float(tensor.type.dtype);
      ir::set(
          tensor, i,
          is_real ? kReals[choose.below(std::size(kReals))] : kIntegers[choose.below(std::size(kIntegers))]);
    }
  }
  return tensors;
}

// As the executor or the reference gives it, NaN in the one form that ir::set stores.
std::vector<std::byte> canonical(const ir::HostTensor& tensor) {
  return interp::to_tensor(interp::to_value(tensor)).bytes;
}

class Identities : public testing::TestWithParam<PassCase> {};

// The reference doesn't round between ops, so it tells identities of numbers; the result is rounded to its
// type.
TEST_P(Identities, HoldInTheReference) {
  const ir::Graph before = passes::graph_of(GetParam().text);
  const ir::Graph after = passes::graph_of(GetParam().want);
  for (std::uint64_t seed = 1; seed <= kDraws; ++seed) {
    const std::vector<ir::HostTensor> inputs = contents(before, seed);
    const auto want = interp::evaluate(before, inputs);
    const auto found = interp::evaluate(after, inputs);
    ASSERT_TRUE(want.has_value() && found.has_value());
    ASSERT_EQ(interp::to_tensor((*found)[0]).bytes, interp::to_tensor((*want)[0]).bytes) << "seed " << seed;
  }
}

// The executor rounds each op to its type, so it tells identities of what kernels compute.
class FoldedConstants : public testing::TestWithParam<PassCase> {};

TEST_P(FoldedConstants, AreWhatTheExecutorComputes) {
  const ir::Graph before = passes::graph_of(GetParam().text);
  const ir::Graph after = passes::graph_of(GetParam().want);
  Engine engine;
  for (std::uint64_t seed = 1; seed <= kDraws; ++seed) {
    const std::vector<ir::HostTensor> inputs = contents(before, seed);
    const auto want = engine.run(before, inputs, Variant::Eager);
    const auto found = engine.run(after, inputs, Variant::Eager);
    ASSERT_TRUE(want.has_value() && found.has_value());
    ASSERT_EQ(canonical((*found)[0]), canonical((*want)[0])) << "seed " << seed;
  }
}

std::string name_of(const testing::TestParamInfo<PassCase>& row) { return row.param.name; }
INSTANTIATE_TEST_SUITE_P(Arithmetic, Identities, testing::ValuesIn(passes::kArithmetic), name_of);
INSTANTIATE_TEST_SUITE_P(Selections, Identities, testing::ValuesIn(passes::kSelections), name_of);
INSTANTIATE_TEST_SUITE_P(Casts, Identities, testing::ValuesIn(passes::kCasts), name_of);
INSTANTIATE_TEST_SUITE_P(Views, Identities, testing::ValuesIn(passes::kViews), name_of);
INSTANTIATE_TEST_SUITE_P(Constants, FoldedConstants, testing::ValuesIn(passes::kFolded), name_of);

}  // namespace
}  // namespace foretell::tests
