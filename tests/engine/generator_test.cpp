// SPDX-License-Identifier: Apache-2.0
// The generator and the shrinker themselves.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "fusion-engine/interp/interpreter.hpp"
#include "fusion-engine/ir/text.hpp"
#include "fusion-engine/ir/verify.hpp"
#include "tests/engine/merge_graphs.hpp"
#include "tests/engine/random_graph.hpp"
#include "tests/engine/shrink.hpp"

namespace foretell::tests {
namespace {

constexpr std::uint64_t kSeeds = 200;

TEST(RandomGraph, IsReproducibleVerifiesAndSurvivesItsText) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const ir::Graph graph = random_graph(seed);
    EXPECT_TRUE(graph == random_graph(seed)) << seed;
    EXPECT_TRUE(ir::verify(graph).has_value()) << seed;
    const auto parsed = ir::parse(ir::print(graph));
    ASSERT_TRUE(parsed.has_value()) << parsed.error().message;
    EXPECT_TRUE(*parsed == graph) << ir::print(graph);
  }
}

TEST(RandomGraph, CoversEveryOpDTypeAndFeature) {
  std::set<std::string_view> ops;
  std::set<ir::DType> dtypes;
  bool has_state = false;
  bool has_several_outputs = false;
  bool has_many = false;
  bool has_scalar = false;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const ir::Graph graph = random_graph(seed);
    EXPECT_FALSE(graph.outputs().empty()) << seed;
    has_several_outputs |= graph.outputs().size() > 1;
    has_state |=
        std::ranges::any_of(graph.outputs(), [](const ir::Output& out) { return out.state_of.has_value(); });
    for (const ir::Node& node : graph.nodes()) {
      ops.insert(ir::to_string(node.op));
      dtypes.insert(node.type.dtype);
      has_many |= ir::elements(node.type.shape) > 40'000;
      has_scalar |= node.type.shape.rank() == 0 && node.op != ir::OpKind::Constant;
    }
  }
  for (const ir::OpInfo& op : ir::all_ops()) {
    EXPECT_TRUE(ops.contains(op.name)) << op.name;
  }
  EXPECT_EQ(dtypes.size(), std::size(ir::kAllDTypes));
  EXPECT_TRUE(has_state && has_several_outputs && has_many && has_scalar);
}

TEST(RandomGraph, ValuesAreFiniteAndMostlyDetermined) {
  std::int64_t elements = 0;
  std::int64_t undetermined = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const ir::Graph graph = random_graph(seed);
    const auto values = interp::evaluate(graph, inputs_for(graph, seed), {.bounds = true});
    ASSERT_TRUE(values.has_value()) << values.error().message;
    for (const interp::Value& value : *values) {
      elements += static_cast<std::int64_t>(value.bounds.size());
      undetermined += std::ranges::count_if(value.bounds, [](double bound) { return !(bound < 1e300); });
      EXPECT_TRUE(std::ranges::all_of(value.reals, [](double x) { return std::abs(x) <= 1e4; })) << seed;
    }
  }
  EXPECT_LT(undetermined * 20, elements);
}

TEST(RandomTraining, StepsAreReproducibleAndCoverTheOpsOfGradients) {
  std::set<std::string_view> ops;
  std::set<std::size_t> states;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const ir::Graph graph = random_training_graph(seed);
    EXPECT_TRUE(seed > 10 || graph == random_training_graph(seed)) << seed;
    EXPECT_TRUE(ir::verify(graph).has_value()) << seed;
    states.insert(graph.outputs().size() - 1);
    for (std::size_t i = 0; i < graph.outputs().size(); ++i) {
      EXPECT_EQ(graph.outputs()[i].state_of.has_value(), i > 0) << seed;
    }
    const auto values = interp::evaluate(graph, inputs_for(graph, seed), {.bounds = true});
    ASSERT_TRUE(values.has_value()) << values.error().message;
    for (const interp::Value& value : *values) {
      EXPECT_TRUE(std::ranges::all_of(value.reals, [](double x) { return std::abs(x) <= 1e4; })) << seed;
    }
    const auto live = ir::live_nodes(graph);
    for (std::size_t i = 0; i < graph.size(); ++i) {
      ops.insert(live[i] ? ir::to_string(graph.nodes()[i].op) : "");
    }
  }
  for (const ir::OpInfo& op : ir::all_ops()) {
    EXPECT_TRUE(!op.name.ends_with("_grad") || ops.contains(op.name)) << op.name;
  }
  EXPECT_EQ(states.size(), 7U);  // one to four parameters, by themselves or with two moments each
}

TEST(Shrink, FindsTheOneOpThatMatters) {
  ir::Graph graph;
  for (std::uint64_t seed = 1; graph.size() == 0; ++seed) {
    ir::Graph candidate = random_graph(seed);
    const auto live = ir::live_nodes(candidate);
    for (std::size_t i = 0; i < candidate.size(); ++i) {
      if (live[i] && candidate.nodes()[i].op == ir::OpKind::Tanh && candidate.size() > 20) {
        graph = candidate;
      }
    }
  }
  const auto has_tanh = [](const ir::Graph& g) {
    const auto live = ir::live_nodes(g);
    for (std::size_t i = 0; i < g.size(); ++i) {
      if (live[i] && g.nodes()[i].op == ir::OpKind::Tanh) {
        return true;
      }
    }
    return false;
  };
  const ir::Graph small = shrink(graph, has_tanh);
  EXPECT_TRUE(ir::verify(small).has_value());
  EXPECT_EQ(small.size(), 2U) << ir::print(small);
  EXPECT_EQ(small.outputs().size(), 1U);
}

TEST(MergeGraphs, KeepsEachGraphsValues) {
  const std::vector<ir::Graph> graphs{random_graph(1), random_graph(2), random_graph(3)};
  const ir::Graph merged = merge_graphs(graphs);
  EXPECT_TRUE(ir::verify(merged).has_value());
  std::vector<ir::HostTensor> inputs;
  std::vector<interp::Value> want;
  for (std::size_t g = 0; g < graphs.size(); ++g) {
    const std::vector<ir::HostTensor> own = inputs_for(graphs[g], g + 1);
    inputs.insert(inputs.end(), own.begin(), own.end());
    const auto values = interp::evaluate(graphs[g], own);
    ASSERT_TRUE(values.has_value()) << values.error().message;
    want.insert(want.end(), values->begin(), values->end());
  }
  const auto found = interp::evaluate(merged, inputs);
  ASSERT_TRUE(found.has_value());
  ASSERT_EQ(found->size(), want.size());
  for (std::size_t i = 0; i < want.size(); ++i) {
    EXPECT_EQ((*found)[i].integers, want[i].integers);
    EXPECT_TRUE(std::ranges::equal((*found)[i].reals, want[i].reals));
  }
}

}  // namespace
}  // namespace foretell::tests
