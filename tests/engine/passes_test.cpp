// SPDX-License-Identifier: Apache-2.0
// Every pass of the list, over random graphs.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "fusion-engine/interp/error_model.hpp"
#include "fusion-engine/interp/interpreter.hpp"
#include "fusion-engine/ir/text.hpp"
#include "fusion-engine/ir/verify.hpp"
#include "fusion-engine/passes/pass.hpp"
#include "tests/engine/random_graph.hpp"
#include "tests/engine/suite.hpp"

namespace foretell::tests {
namespace {

// Within the bound of the original: a pass may fold constants and drop roundings (docs/engine-numerics.md).
std::string difference(const interp::Value& before, const interp::Value& after) {
  if (before.type != after.type) {
    return "type " + to_string(after.type);
  }
  for (std::size_t i = 0; i < before.bounds.size(); ++i) {
    const double bound = before.bounds[i];
    if (bound == interp::kUndetermined) {
      continue;
    }
    if (before.reals.empty() ? before.integers[i] != after.integers[i]
                             : !(std::fabs(before.reals[i] - after.reals[i]) <= bound) &&
                                   !(std::isnan(before.reals[i]) && std::isnan(after.reals[i])) &&
                                   before.reals[i] != after.reals[i]) {
      return before.reals.empty()
                 ? fmt::format("element {}: {} became {}", i, before.integers[i], after.integers[i])
                 : fmt::format("element {}: {} became {}, bound {}", i, before.reals[i], after.reals[i],
                               bound);
    }
  }
  return {};
}

std::string changed_signature(const ir::Graph& before, const ir::Graph& after) {
  if (before.inputs().size() != after.inputs().size() || before.outputs().size() != after.outputs().size()) {
    return "number of inputs or outputs changed\n";
  }
  const auto input_name = [](const ir::Graph& graph, ir::NodeId id) {
    return graph.node(id).attributes.text(ir::AttrKey::Name) + ": " + to_string(graph.type(id));
  };
  for (std::size_t i = 0; i < before.inputs().size(); ++i) {
    if (input_name(before, before.inputs()[i]) != input_name(after, after.inputs()[i])) {
      return fmt::format("input {} changed\n", i);
    }
  }
  for (std::size_t i = 0; i < before.outputs().size(); ++i) {
    const ir::Output& old = before.outputs()[i];
    const ir::Output& now = after.outputs()[i];
    const bool same_state =
        old.state_of.has_value() == now.state_of.has_value() &&
        (!old.state_of.has_value() || input_name(before, *old.state_of) == input_name(after, *now.state_of));
    if (old.name != now.name || !same_state) {
      return fmt::format("output {} changed its name or state\n", i);
    }
  }
  return {};
}

std::string faults_of_pass(const passes::Pass& pass, const ir::Graph& graph, std::uint64_t seed) {
  const ir::Graph after = pass.run(graph);
  if (const auto verified = ir::verify(after); !verified.has_value()) {
    return fmt::format("does not verify: {}\n", verified.error().message);
  }
  if (std::string text = changed_signature(graph, after); !text.empty()) {
    return text;
  }
  const ir::Graph again = pass.run(after);
  if (!(again == after)) {
    return fmt::format("not idempotent: once\n{}twice\n{}", ir::print(after), ir::print(again));
  }
  const auto parsed = ir::parse(ir::print(after));
  if (!parsed.has_value() || !(*parsed == after)) {
    return "its text does not give it back\n";
  }
  const std::vector<ir::HostTensor> inputs = inputs_for(graph, seed);
  const auto want = interp::evaluate(graph, inputs, {.bounds = true});
  const auto found = interp::evaluate(after, inputs, {.bounds = true});
  if (!want.has_value() || !found.has_value()) {
    return "can't be evaluated\n";
  }
  for (std::size_t i = 0; i < want->size(); ++i) {
    if (const std::string text = difference((*want)[i], (*found)[i]); !text.empty()) {
      return fmt::format("{}: {}\nafter the pass\n{}", graph.outputs()[i].name, text, ir::print(after));
    }
  }
  return {};
}

// What it proves of decompose: that the pass puts each op's definition in its place, with the right operands,
// names and states, and that the definitions of mean and var agree with the reference's own. The other
// definitions are compared with themselves here, since the reference evaluates a composite op through
// ir/decomposition; what they have to be is told by interpreter_test's numbers.
class EveryPass : public testing::TestWithParam<passes::Pass> {};

TEST_P(EveryPass, VerifiesIsIdempotentAndKeepsValues) {
  for (std::uint64_t seed = 1; seed <= graph_count(); ++seed) {
    const ir::Graph graph = random_graph(seed);
    if (faults_of_pass(GetParam(), graph, seed).empty()) {
      continue;
    }
    FAIL() << "seed " << seed << "\n"
           << smallest_failure(graph, seed, [&](const ir::Graph& candidate) {
                return faults_of_pass(GetParam(), candidate, seed);
              });
  }
}

std::string pass_name(const testing::TestParamInfo<passes::Pass>& param) {
  return std::string(param.param.name);
}
INSTANTIATE_TEST_SUITE_P(Passes, EveryPass,
                         testing::ValuesIn(passes::all_passes().begin(), passes::all_passes().end()),
                         pass_name);

ir::Graph pipeline(const ir::Graph& graph) { return passes::run_pipeline(graph).value().graph; }

TEST(Pipeline, KeepsValues) {
  for (std::uint64_t seed = 1; seed <= graph_count(); ++seed) {
    const ir::Graph graph = random_graph(seed);
    ir::Graph after = pipeline(graph);
    EXPECT_EQ(changed_signature(graph, after), "") << "seed " << seed;
    const std::vector<ir::HostTensor> inputs = inputs_for(graph, seed);
    const auto want = interp::evaluate(graph, inputs, {.bounds = true});
    const auto found = interp::evaluate(after, inputs, {.bounds = true});
    ASSERT_TRUE(want.has_value() && found.has_value()) << "seed " << seed;
    for (std::size_t i = 0; i < want->size(); ++i) {
      EXPECT_EQ(difference((*want)[i], (*found)[i]), "") << "seed " << seed << " " << graph.outputs()[i].name;
    }
  }
}

}  // namespace
}  // namespace foretell::tests
