// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/ir/graph.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace foretell::ir {
namespace {

const Type kRow{.dtype = DType::F32, .shape = {4}};

TEST(Graph, AnEqualNodeIsTheFirst) {
  Graph graph;
  const NodeId x = graph.input("x", kRow).value();
  const NodeId y = graph.input("y", kRow).value();
  const NodeId sum = graph.add(OpKind::Add, {x, y}).value();
  EXPECT_EQ(graph.add(OpKind::Add, {x, y}).value(), sum);
  EXPECT_NE(graph.add(OpKind::Add, {y, x}).value(), sum);
  EXPECT_EQ(graph.size(), 4U);
}

TEST(Graph, AttributesAreComparedInTheirStoredForm) {
  Graph graph;
  const NodeId x = graph.input("x", {.dtype = DType::F32, .shape = {2, 3}}).value();
  const NodeId sum = graph.add(OpKind::Sum, {x}, {{AttrKey::Axes, Ints{-1}}}).value();
  EXPECT_EQ(graph.add(OpKind::Sum, {x}, {{AttrKey::Axes, Ints{1}}, {AttrKey::KeepDims, false}}).value(), sum);
  EXPECT_EQ(graph.node(sum).attributes.ints(AttrKey::Axes), Ints{1});
  EXPECT_NE(graph.add(OpKind::Sum, {x}, {{AttrKey::Axes, Ints{1}}, {AttrKey::KeepDims, true}}).value(), sum);
}

TEST(Graph, SlicesOfAtMostOneElementTakeNoStep) {
  Graph graph;
  const NodeId x = graph.input("x", {.dtype = DType::F32, .shape = {4, 8, 3}}).value();
  constexpr std::int64_t kHuge = std::int64_t{1} << 62U;  // times a stride of 3 it leaves 64 bits
  const auto slice = [&](const Ints& steps) {
    return graph
        .add(OpKind::Slice, {x},
             {{AttrKey::Starts, Ints{1, 2, 3}}, {AttrKey::Limits, Ints{4, 8, 3}}, {AttrKey::Steps, steps}})
        .value();
  };
  const NodeId huge = slice({kHuge, 3, kHuge});
  EXPECT_EQ(graph.type(huge).shape, (Shape{1, 2, 0}));
  EXPECT_EQ(graph.node(huge).attributes.ints(AttrKey::Limits), (Ints{2, 8, 3}));
  EXPECT_EQ(graph.node(huge).attributes.ints(AttrKey::Steps), (Ints{1, 3, 1}));
  EXPECT_EQ(slice({3, 3, 1}), huge);
}

TEST(Graph, ReducedAxesOfBothKindsOfReduction) {
  Graph graph;
  const NodeId x = graph.input("x", {.dtype = DType::F32, .shape = {2, 3}}).value();
  const NodeId sum = graph.add(OpKind::Sum, {x}, {{AttrKey::Axes, Ints{-1, 0}}}).value();
  const NodeId argmax = graph.add(OpKind::Argmax, {x}, {{AttrKey::Axis, -1}}).value();
  EXPECT_EQ(reduced_axes(graph.node(sum)), (Ints{0, 1}));
  EXPECT_EQ(reduced_axes(graph.node(argmax)), Ints{1});
}

TEST(Graph, ConstantsAreRoundedToTheirType) {
  Graph graph;
  EXPECT_EQ(graph.constant(0.1, DType::F32), graph.constant(static_cast<double>(0.1F), DType::F32));
  EXPECT_NE(graph.constant(0.0, DType::F32), graph.constant(-0.0, DType::F32));
  EXPECT_EQ(graph.constant(std::nan("1"), DType::F64), graph.constant(-std::nan(""), DType::F64));
  EXPECT_EQ(graph.node(graph.constant(1e10, DType::I32)).attributes.real(AttrKey::Value), 2147483647.0);
}

TEST(Graph, RandomOpsDifferByTheirCounter) {
  Graph graph;
  const NodeId x = graph.input("x", kRow).value();
  EXPECT_EQ(graph.fresh_counter(), 0);
  const auto dropout = [&](std::int64_t counter) {
    return graph.add(OpKind::Dropout, {x}, {{AttrKey::Probability, 0.5}, {AttrKey::Counter, counter}})
        .value();
  };
  const NodeId first = dropout(graph.fresh_counter());
  const NodeId second = dropout(graph.fresh_counter());
  EXPECT_NE(first, second);
  EXPECT_EQ(dropout(7), dropout(7));
  EXPECT_EQ(graph.fresh_counter(), 8);
}

TEST(Graph, InputNamesAreUnique) {
  Graph graph;
  const NodeId x = graph.input("x", kRow).value();
  const auto again = graph.input("x", kRow);
  ASSERT_FALSE(again.has_value());
  EXPECT_EQ(again.error().message, "input: the name 'x' is already an input's");
  EXPECT_EQ(graph.find_input("x"), x);
  EXPECT_EQ(graph.find_input("y"), std::nullopt);
  EXPECT_EQ(graph.inputs().size(), 1U);
}

TEST(Graph, OutputsTellWhatIsWrongWithThem) {
  Graph graph;
  const NodeId x = graph.input("x", kRow).value();
  const NodeId z = graph.input("z", {.dtype = DType::F32, .shape = {5}}).value();
  const NodeId y = graph.add(OpKind::Relu, {x}).value();
  const auto message = [&](std::string_view name, NodeId node, std::optional<NodeId> state) {
    const Result<void> made = graph.output(name, node, state);
    return made.has_value() ? "made" : made.error().message;
  };
  EXPECT_EQ(message("y", y, x), "made");
  EXPECT_EQ(message("y", y, std::nullopt), "output: the name 'y' is already an output's");
  EXPECT_EQ(message("w", x, y), "output 'w': expected an input to update, found relu");
  EXPECT_EQ(message("w", y, z), "output 'w': can't update 'z', f32[5], by f32[4]");
  EXPECT_EQ(message("w", y, x), "output 'w': 'x' is already updated by another output");
  EXPECT_EQ(graph.outputs().size(), 1U);
}

TEST(Graph, UsersAndLiveNodes) {
  Graph graph;
  const NodeId x = graph.input("x", kRow).value();
  const NodeId square = graph.add(OpKind::Mul, {x, x}).value();
  const NodeId dead = graph.add(OpKind::Exp, {square}).value();
  const NodeId kept = graph.add(OpKind::Add, {square, x}).value();
  ASSERT_TRUE(graph.output("y", kept).has_value());
  const auto readers = users(graph);
  EXPECT_EQ(readers[index(x)], (std::vector{square, kept}));
  EXPECT_EQ(readers[index(square)], (std::vector{dead, kept}));
  EXPECT_TRUE(readers[index(kept)].empty());
  EXPECT_EQ(live_nodes(graph), (std::vector<bool>{true, true, false, true}));
}

TEST(Graph, SizesOfTypes) {
  const Type type{.dtype = DType::BF16, .shape = {2, 3}};
  EXPECT_EQ(to_string(type), "bf16[2,3]");
  EXPECT_EQ(size_bytes(type), 12);
  EXPECT_EQ(size_bytes(Type{.dtype = DType::F64, .shape = {}}), 8);
  EXPECT_EQ(size_bytes(Type{.dtype = DType::F64, .shape = {3, 0}}), 0);
}

}  // namespace
}  // namespace foretell::ir
