// SPDX-License-Identifier: Apache-2.0
// Every row of the op table in every dtype it takes and several layouts, eager and fused, against the
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

TEST_P(OpRow, EagerAndFusedAgreeWithTheInterpreter) {
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
    EXPECT_EQ(engine.faults(graph, inputs, Variant::Eager), "") << "eager\n" << ir::print(graph);
    all_inputs.insert(all_inputs.end(), inputs.begin(), inputs.end());
  }
  if (!engine.compiler().has_value()) {
    // Generated code needs the system's compiler, which a machine may lack; the build's own may be elsewhere.
    GTEST_SKIP() << "no C++ compiler on this machine: " << engine.compiler().error().message;
  }
  if (engine.faults(merge_graphs(graphs), all_inputs, Variant::Fused).empty()) {
    return;
  }
  // Which of them it is.
  bool found = false;
  for (const ir::Graph& graph : graphs) {
    const std::string faults = engine.faults(graph, inputs_for(graph, kSeed), Variant::Fused);
    EXPECT_EQ(faults, "") << "fused\n" << ir::print(graph);
    found |= !faults.empty();
  }
  EXPECT_TRUE(found) << "fused, only when compiled together: "
                     << engine.faults(merge_graphs(graphs), all_inputs, Variant::Fused);
}

TEST(OpRowBodies, EveryOneIsAGraphOfSomeDType) { EXPECT_EQ(refused_bodies(), ""); }

std::string op_name(const testing::TestParamInfo<ir::OpInfo>& param) { return std::string(param.param.name); }
INSTANTIATE_TEST_SUITE_P(Rows, OpRow, testing::ValuesIn(ir::all_ops().begin(), ir::all_ops().end()), op_name);

}  // namespace
}  // namespace foretell::tests
