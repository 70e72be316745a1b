// SPDX-License-Identifier: Apache-2.0
// Random graphs, and random steps of training, by every executor against the interpreter.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/engine/executor_check.hpp"
#include "tests/engine/merge_graphs.hpp"
#include "tests/engine/random_graph.hpp"
#include "tests/engine/suite.hpp"

namespace foretell::tests {
namespace {

// Graphs whose kernels are compiled together.
constexpr std::uint64_t kBatch = 20;

using Generator = ir::Graph (*)(std::uint64_t seed);

// A batch of graphs. Variants with kernels take them from one cache, so that they are compiled once.
class RandomBatch : public testing::TestWithParam<std::uint64_t> {
 protected:
  void expect_op_by_op_agrees(Generator generate) {
    for (const Variant variant : kOpVariants) {
      expect_each(generate, variant);
    }
  }

  void expect_kernels_agree(Generator generate) {
    if (!engine_.compiler().has_value()) {
      // Generated code needs the system's compiler, which a machine may lack; the build's own may be
      // elsewhere.
      GTEST_SKIP() << "no C++ compiler on this machine: " << engine_.compiler().error().message;
    }
    std::vector<ir::Graph> graphs;
    std::vector<ir::HostTensor> inputs;
    for (std::uint64_t seed = first_seed(); seed < first_seed() + kBatch; ++seed) {
      graphs.push_back(generate(seed));
      for (ir::HostTensor& tensor : inputs_for(graphs.back(), seed)) {
        inputs.push_back(std::move(tensor));
      }
    }
    const ir::Graph merged = merge_graphs(graphs);
    for (const Variant variant : kFusedVariants) {
      const std::string together = engine_.faults(merged, inputs, variant);
      // Each alone, to tell which and to make it small.
      EXPECT_TRUE(together.empty() || !expect_each(generate, variant))
          << to_string(variant) << ", seeds from " << first_seed() << ", only when compiled together:\n"
          << together;
    }
  }

 private:
  std::uint64_t first_seed() const { return 1 + GetParam() * kBatch; }

  // False if a graph fails.
  bool expect_each(Generator generate, Variant variant) {
    bool agree = true;
    for (std::uint64_t seed = first_seed(); seed < first_seed() + kBatch; ++seed) {
      const ir::Graph graph = generate(seed);
      const auto faults_of = [&](const ir::Graph& candidate) {
        return engine_.faults(candidate, inputs_for(candidate, seed), variant);
      };
      if (const std::string faults = faults_of(graph); !faults.empty()) {
        agree = false;
        ADD_FAILURE() << to_string(variant) << ", seed " << seed << "\n"
                      << faults << smallest_failure(graph, seed, faults_of);
      }
    }
    return agree;
  }

  Engine engine_;
};

class RandomGraphs : public RandomBatch {};
TEST_P(RandomGraphs, OpByOpAgreesWithTheInterpreter) { expect_op_by_op_agrees(random_graph); }
TEST_P(RandomGraphs, FusedAgreesWithTheInterpreter) { expect_kernels_agree(random_graph); }

class RandomTraining : public RandomBatch {};
TEST_P(RandomTraining, OpByOpAgreesWithTheInterpreter) { expect_op_by_op_agrees(random_training_graph); }
TEST_P(RandomTraining, FusedAgreesWithTheInterpreter) { expect_kernels_agree(random_training_graph); }

std::string batch_name(const testing::TestParamInfo<std::uint64_t>& param) {
  return fmt::format("seeds_{}_to_{}", 1 + param.param * kBatch, (param.param + 1) * kBatch);
}
auto batches(std::uint64_t graphs) {
  return testing::Range<std::uint64_t>(0, (graphs + kBatch - 1) / kBatch);
}
INSTANTIATE_TEST_SUITE_P(Batches, RandomGraphs, batches(graph_count()), batch_name);
INSTANTIATE_TEST_SUITE_P(Batches, RandomTraining, batches(graph_count(kAllTrainingGraphs)), batch_name);

}  // namespace
}  // namespace foretell::tests
