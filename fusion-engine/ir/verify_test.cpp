// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/ir/verify.hpp"

#include <gtest/gtest.h>

namespace foretell::ir {

struct GraphSurgery {
  static Node& node(Graph& graph, std::size_t i) { return graph.nodes_[i]; }
  static std::vector<Node>& nodes(Graph& graph) { return graph.nodes_; }
  static std::vector<NodeId>& inputs(Graph& graph) { return graph.inputs_; }
  static std::vector<Output>& outputs(Graph& graph) { return graph.outputs_; }
};

namespace {

// %0 = input x, %1 = input z, %2 = sum(x), %3 = relu(x) updating x
Graph sound() {
  Graph graph;
  const NodeId x = graph.input("x", {.dtype = DType::F32, .shape = {2, 3}}).value();
  EXPECT_TRUE(graph.input("z", {.dtype = DType::F32, .shape = {3}}).has_value());
  EXPECT_TRUE(graph.add(OpKind::Sum, {x}, {{AttrKey::Axes, Ints{1}}}).has_value());
  EXPECT_TRUE(graph.output("y", graph.add(OpKind::Relu, {x}).value(), x).has_value());
  return graph;
}

struct Case {
  const char* name;
  void (*damage)(Graph&);
  const char* where;
  const char* message;
};
std::ostream& operator<<(std::ostream& out, const Case& row) { return out << row.name; }
class Verify : public testing::TestWithParam<Case> {};

TEST_P(Verify, NamesTheNode) {
  Graph graph = sound();
  ASSERT_TRUE(verify(graph).has_value());
  GetParam().damage(graph);
  const Result<void> verified = verify(graph);
  ASSERT_FALSE(verified.has_value());
  EXPECT_EQ(verified.error().where, GetParam().where);
  EXPECT_EQ(verified.error().message, GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    Damage, Verify,
    testing::Values(
        Case{"operand_behind", [](Graph& g) { GraphSurgery::node(g, 3).operands = {NodeId{3}}; },
             "node %3 (relu)", "expected operands before the node, found %3"},
        Case{"wrong_type", [](Graph& g) { GraphSurgery::node(g, 3).type.shape = {3, 2}; }, "node %3 (relu)",
             "expected f32[2,3], found f32[3,2]"},
        Case{"negative_axis",
             [](Graph& g) { GraphSurgery::node(g, 2).attributes.set(AttrKey::Axes, Ints{-1}); },
             "node %2 (sum)", "the attributes are not in their stored form"},
        Case{"bad_axis", [](Graph& g) { GraphSurgery::node(g, 2).attributes.set(AttrKey::Axes, Ints{2}); },
             "node %2 (sum)", "sum: axis 2 is out of range for f32[2,3]"},
        Case{"equal_nodes", [](Graph& g) { GraphSurgery::nodes(g).push_back(g.node(NodeId{3})); },
             "node %4 (relu)", "is equal to %3"},
        Case{"input_name_twice",
             [](Graph& g) { GraphSurgery::node(g, 1).attributes.set(AttrKey::Name, std::string("x")); },
             "node %1 (input)", "input: the name 'x' is already an input's"},
        Case{"input_not_listed", [](Graph& g) { GraphSurgery::inputs(g).pop_back(); }, "inputs",
             "the list of inputs isn't that of the nodes"},
        Case{"output_of_no_node", [](Graph& g) { GraphSurgery::outputs(g)[0].node = NodeId{9}; },
             "output 'y'", "names a node that the graph doesn't have"},
        Case{"output_name_twice",
             [](Graph& g) { GraphSurgery::outputs(g).push_back({.name = "y", .node = NodeId{2}}); },
             "output 'y'", "output: the name 'y' is already an output's"},
        Case{"state_of_another_type", [](Graph& g) { GraphSurgery::outputs(g)[0].state_of = NodeId{1}; },
             "output 'y'", "output 'y': can't update 'z', f32[3], by f32[2,3]"},
        Case{"state_of_no_input", [](Graph& g) { GraphSurgery::outputs(g)[0].state_of = NodeId{2}; },
             "output 'y'", "output 'y': expected an input to update, found sum"},
        Case{"state_updated_twice",
             [](Graph& g) {
               GraphSurgery::outputs(g).push_back({.name = "w", .node = NodeId{0}, .state_of = NodeId{0}});
             },
             "output 'w'", "output 'w': 'x' is already updated by another output"}),
    [](const auto& row) { return std::string(row.param.name); });

}  // namespace
}  // namespace foretell::ir
