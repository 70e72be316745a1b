// SPDX-License-Identifier: Apache-2.0
// Random graphs, eager and fused, against the interpreter.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "fusion-engine/ir/text.hpp"
#include "tests/engine/executor_check.hpp"
#include "tests/engine/merge_graphs.hpp"
#include "tests/engine/random_graph.hpp"
#include "tests/engine/suite.hpp"

namespace foretell::tests {
namespace {

// Graphs whose kernels are compiled together.
constexpr std::uint64_t kBatch = 20;

class RandomGraphs : public testing::TestWithParam<std::uint64_t> {
 protected:
  std::uint64_t first_seed() const { return 1 + GetParam() * kBatch; }

  std::string smallest(const ir::Graph& graph, std::uint64_t seed, Variant variant) {
    return smallest_failure(graph, seed, [&](const ir::Graph& candidate) {
      return engine_.faults(candidate, inputs_for(candidate, seed), variant);
    });
  }

  Engine engine_;
};

TEST_P(RandomGraphs, EagerAgreesWithTheInterpreter) {
  for (std::uint64_t seed = first_seed(); seed < first_seed() + kBatch; ++seed) {
    const ir::Graph graph = random_graph(seed);
    const std::string faults = engine_.faults(graph, inputs_for(graph, seed), Variant::Eager);
    if (!faults.empty()) {
      ADD_FAILURE() << "seed " << seed << "\n" << faults << smallest(graph, seed, Variant::Eager);
    }
  }
}

TEST_P(RandomGraphs, FusedAgreesWithTheInterpreter) {
  if (!engine_.compiler().has_value()) {
    // Generated code needs the system's compiler, which a machine may lack; the build's own may be elsewhere.
    GTEST_SKIP() << "no C++ compiler on this machine: " << engine_.compiler().error().message;
  }
  std::vector<ir::Graph> graphs;
  std::vector<ir::HostTensor> inputs;
  for (std::uint64_t seed = first_seed(); seed < first_seed() + kBatch; ++seed) {
    graphs.push_back(random_graph(seed));
    for (ir::HostTensor& tensor : inputs_for(graphs.back(), seed)) {
      inputs.push_back(std::move(tensor));
    }
  }
  const std::string together = engine_.faults(merge_graphs(graphs), inputs, Variant::Fused);
  if (together.empty()) {
    return;
  }
  // Each alone, to tell which and to make it small.
  bool found = false;
  for (std::size_t g = 0; g < graphs.size(); ++g) {
    const std::uint64_t seed = first_seed() + g;
    const std::string faults = engine_.faults(graphs[g], inputs_for(graphs[g], seed), Variant::Fused);
    if (!faults.empty()) {
      found = true;
      ADD_FAILURE() << "seed " << seed << "\n" << faults << smallest(graphs[g], seed, Variant::Fused);
    }
  }
  EXPECT_TRUE(found) << "seeds from " << first_seed() << ", only when compiled together:\n" << together;
}

std::string batch_name(const testing::TestParamInfo<std::uint64_t>& param) {
  return fmt::format("seeds_{}_to_{}", 1 + param.param * kBatch, (param.param + 1) * kBatch);
}
INSTANTIATE_TEST_SUITE_P(Batches, RandomGraphs, testing::Range<std::uint64_t>(0, graph_count() / kBatch),
                         batch_name);

}  // namespace
}  // namespace foretell::tests
