// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/runtime/cpu/dispatcher.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <optional>
#include <vector>

namespace foretell::runtime::cpu {
namespace {

class DispatcherTest : public ::testing::Test {
 protected:
  DispatcherTest() : graph_("test"), device_(open_cpu_device({.stream = {.threads = 2}}).value()) {}

  ir::NodeId input(const char* name, const ir::Shape& shape, ir::DType dtype = ir::DType::F32) {
    return graph_.input(name, {dtype, shape}).value();
  }
  // Zeros in memory of this test.
  Tensor tensor(const ir::Shape& shape, ir::DType dtype = ir::DType::F32) {
    Tensor made{.data = nullptr, .dtype = dtype, .shape = shape, .strides = ir::dense_strides(shape)};
    made.data = memory_.emplace_back(static_cast<std::size_t>(made.size_bytes())).data();
    return made;
  }
  Result<Dispatcher::Dispatched> dispatch(ir::NodeId node, std::initializer_list<Tensor> operands,
                                          std::byte* destination = nullptr) {
    auto result = dispatcher().dispatch(node, std::span(operands.begin(), operands.size()), destination);
    device_.stream->synchronize();
    return result;
  }
  // Of the graph as it is when first asked for.
  Dispatcher& dispatcher() {
    if (!dispatcher_) {
      dispatcher_.emplace(device_, graph_);
    }
    return *dispatcher_;
  }

  ir::Graph graph_;
  CpuDevice device_;
  std::vector<std::vector<std::byte>> memory_;
  std::optional<Dispatcher> dispatcher_;
};

TEST_F(DispatcherTest, OperandsOfOtherShapesAreRefused) {
  const auto x = input("x", {2, 3});
  const auto add = graph_.add(ir::OpKind::Add, {x, x}).value();
  const auto sum = graph_.add(ir::OpKind::Sum, {x}, {{ir::AttrKey::Axes, ir::Ints{0}}}).value();

  const auto mismatch = dispatch(add, {tensor({2, 3}), tensor({2, 4})});
  ASSERT_FALSE(mismatch.has_value());
  EXPECT_EQ(mismatch.error().code, ErrorCode::BadInput);
  EXPECT_EQ(mismatch.error().where, "test: %1");
  EXPECT_EQ(mismatch.error().message, "add: can't broadcast [2,3] with [2,4]");

  const auto changed = dispatch(add, {tensor({4, 3}), tensor({4, 3})});
  ASSERT_FALSE(changed.has_value());
  EXPECT_EQ(changed.error().message, "add: expected a result of f32[2,3], found operands that give f32[4,3]");

  EXPECT_FALSE(dispatch(add, {tensor({2, 3}), tensor({2, 3}, ir::DType::F64)}).has_value());
  for (int i = 0; i < 2; ++i) {  // also after it was found right once
    EXPECT_TRUE(dispatch(sum, {tensor({2, 3})}).has_value());
    EXPECT_FALSE(dispatch(sum, {tensor({2, 5})}).has_value());
  }
}

TEST_F(DispatcherTest, ViewsShareMemoryUnlessADestinationIsGiven) {
  const auto x = input("x", {2, 3});
  const auto turned =
      graph_.add(ir::OpKind::Permute, {x}, {{ir::AttrKey::Permutation, ir::Ints{1, 0}}}).value();
  const Tensor from = tensor({2, 3});
  const float values[] = {1, 2, 3, 4, 5, 6};
  std::memcpy(from.data, values, sizeof values);

  const auto view = dispatch(turned, {from});
  ASSERT_TRUE(view.has_value());
  EXPECT_FALSE(view->owned);
  EXPECT_EQ(view->tensor.data, from.data);
  EXPECT_EQ(view->tensor.strides, (ir::Dims{1, 3}));
  EXPECT_EQ(dispatcher().counters().launches, 0);

  const Tensor to = tensor({3, 2});
  const auto copy = dispatch(turned, {from}, to.data);
  ASSERT_TRUE(copy.has_value());
  EXPECT_FALSE(copy->owned);
  const float want[] = {1, 4, 2, 5, 3, 6};
  EXPECT_EQ(std::memcmp(to.data, want, sizeof want), 0);
}

TEST_F(DispatcherTest, ResultGoesToTheDestination) {
  const auto x = input("x", {4});
  const auto exp = graph_.add(ir::OpKind::Exp, {x}).value();
  const Tensor to = tensor({4});
  const auto result = dispatch(exp, {tensor({4})}, to.data);
  ASSERT_TRUE(result.has_value());
  EXPECT_FALSE(result->owned);
  const float want[] = {1, 1, 1, 1};
  EXPECT_EQ(std::memcmp(to.data, want, sizeof want), 0);
  EXPECT_EQ(device_.allocator->counters().allocations, 0);
}

TEST_F(DispatcherTest, AnInputHasNoKernel) {
  const auto x = input("x", {4});
  const auto result = dispatch(x, {});
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().code, ErrorCode::Unsupported);
}

TEST_F(DispatcherTest, OfSeveralErrorsTheFirstNodesIsTakenAndNoneIsLeft) {
  const auto x = input("x", {5, 4});
  const auto index = input("index", {3}, ir::DType::I64);
  const auto first =
      graph_.add(ir::OpKind::Gather, {x, index}, {{ir::AttrKey::Axis, std::int64_t{0}}}).value();
  const auto second =
      graph_.add(ir::OpKind::Gather, {x, index}, {{ir::AttrKey::Axis, std::int64_t{1}}}).value();
  const Tensor good = tensor({3}, ir::DType::I64);
  const Tensor bad = tensor({3}, ir::DType::I64);
  const std::int64_t values[] = {0, 7, 8};
  std::memcpy(bad.data, values, sizeof values);

  ASSERT_TRUE(dispatch(second, {tensor({5, 4}), bad}).has_value());
  ASSERT_TRUE(dispatch(first, {tensor({5, 4}), bad}).has_value());
  const auto taken = dispatcher().take_error();
  ASSERT_FALSE(taken.has_value());
  EXPECT_EQ(taken.error().code, ErrorCode::BadInput);
  EXPECT_EQ(taken.error().where, "test: %2");
  EXPECT_EQ(taken.error().message, "gather: index out of range at element 1 of its index operand");
  EXPECT_TRUE(dispatcher().take_error().has_value());

  ASSERT_TRUE(dispatch(first, {tensor({5, 4}), good}).has_value());
  EXPECT_TRUE(dispatcher().take_error().has_value());
}

}  // namespace
}  // namespace foretell::runtime::cpu
