// SPDX-License-Identifier: Apache-2.0
// Every row of the op table in every dtype it takes and several layouts, by all executors, against the
// interpreter.
#include <gtest/gtest.h>

#include "fusion-engine/ir/text.hpp"
#include "tests/engine/executor_check.hpp"
#include "tests/engine/merge_graphs.hpp"
#include "tests/engine/op_row_graphs.hpp"
#include "tests/engine/random_graph.hpp"

namespace foretell::tests {
namespace {

constexpr std::uint64_t kSeed = 11;

class OpRow : public testing::TestWithParam<ir::OpInfo> {};

TEST_P(OpRow, AgreesWithTheInterpreter) {
  std::vector<ir::Graph> graphs;
  for (const ir::DType dtype : ir::kAllDTypes) {
    for (ir::Graph& graph : graphs_of(GetParam(), dtype)) {
      graphs.push_back(std::move(graph));
    }
  }
  ASSERT_FALSE(graphs.empty()) << "no graph for this row: add a body to the table";

  Engine engine;
  std::vector<ir::HostTensor> all_inputs;
  for (const ir::Graph& graph : graphs) {
    const std::vector<ir::HostTensor> inputs = inputs_for(graph, kSeed);
    for (const Variant variant : kOpVariants) {
      EXPECT_EQ(engine.faults(graph, inputs, variant), "") << to_string(variant) << "\n" << ir::print(graph);
    }
    all_inputs.insert(all_inputs.end(), inputs.begin(), inputs.end());
  }
  if (!engine.compiler().has_value()) {
    // Generated code needs the system's compiler, which a machine may lack; the build's own may be elsewhere.
    GTEST_SKIP() << "no C++ compiler on this machine: " << engine.compiler().error().message;
  }
  for (const Variant variant : kFusedVariants) {
    const std::string together = engine.faults(merge_graphs(graphs), all_inputs, variant);
    if (together.empty()) {
      continue;
    }
    // Which of them it is.
    bool found = false;
    for (const ir::Graph& graph : graphs) {
      const std::string faults = engine.faults(graph, inputs_for(graph, kSeed), variant);
      EXPECT_EQ(faults, "") << to_string(variant) << "\n" << ir::print(graph);
      found |= !faults.empty();
    }
    EXPECT_TRUE(found) << to_string(variant) << ", only when compiled together: " << together;
  }
}

TEST(OpRowBodies, EveryOneIsAGraphOfSomeDType) { EXPECT_EQ(refused_bodies(), ""); }

std::string op_name(const testing::TestParamInfo<ir::OpInfo>& param) { return std::string(param.param.name); }
INSTANTIATE_TEST_SUITE_P(Rows, OpRow, testing::ValuesIn(ir::all_ops().begin(), ir::all_ops().end()), op_name);

}  // namespace
}  // namespace foretell::tests
