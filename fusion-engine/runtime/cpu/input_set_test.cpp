// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/runtime/cpu/input_set.hpp"

#include <gtest/gtest.h>

#include <string>

#include "fusion-engine/ir/text.hpp"

namespace foretell::runtime::cpu {
namespace {

class EveryDType : public ::testing::TestWithParam<ir::DType> {};
INSTANTIATE_TEST_SUITE_P(InputSet, EveryDType, ::testing::ValuesIn(ir::kAllDTypes),
                         [](const auto& test) { return std::string(ir::to_string(test.param)); });

TEST_P(EveryDType, RandomContentsAreThoseOfRandomTensor) {
  for (const int threads : {1, 3}) {
    CpuDevice device = open_cpu_device({.stream = {.threads = threads}}).value();
    ir::Graph graph;
    ASSERT_TRUE(graph.input("a", {GetParam(), {3, 333}}).has_value());
    ASSERT_TRUE(graph.input("b", {GetParam(), {}}).has_value());
    ASSERT_TRUE(graph.input("c", {GetParam(), {0, 4}}).has_value());
    ir::Contents given;
    if (ir::is_float(GetParam())) {
      given = {.low = -0.3, .high = 0.1};
      const ir::Attributes contents{{ir::AttrKey::Low, given.low}, {ir::AttrKey::High, given.high}};
      ASSERT_TRUE(graph.input("d", {GetParam(), {100}}, contents).has_value());
    }
    const InputSet inputs = InputSet::random(graph, device, 11);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const ir::HostTensor want =
          ir::random_tensor(graph.type(graph.inputs()[i]), 11 + i, i < 3 ? ir::Contents{} : given);
      EXPECT_EQ(inputs.to_host(i).type, want.type);
      EXPECT_EQ(inputs.to_host(i).bytes, want.bytes);
    }
  }
}

TEST(InputSet, IndicesAreInRange) {
  struct Row {
    std::string text;
    std::int64_t bound;  // of the input i
  };
  const Row rows[] = {
      {"i = input(to=i64, shape=[4])\nreturn y=i", 8},
      {"x = input(to=f32, shape=[3,2])\ni = input(to=i64, shape=[4])\ng = gather(x, i, axis=1)\nreturn y=g",
       2},
      {"x = input(to=f32, shape=[3,2])\ni = input(to=i64, shape=[4])\nr = reshape(i, shape=[2,2])\nj = "
       "cast(r, to=i32)\n"
       "g = gather(x, j, axis=1)\nh = gather(x, j, axis=0)\nreturn y=g, z=h",
       2},
      {"x = input(to=f32, shape=[3,2])\nu = input(to=f32, shape=[3,1])\ni = input(to=i64, shape=[1])\n"
       "c = index_copy(x, i, u, axis=1)\nreturn y=c",
       2},
      {"x = input(to=f32, shape=[20,5])\ni = input(to=i64, shape=[20])\nl = cross_entropy(x, i)\nreturn y=l",
       5},
  };
  for (const Row& row : rows) {
    const auto graph = ir::parse("graph test\n" + row.text + "\n");
    ASSERT_TRUE(graph.has_value()) << graph.error().message;
    EXPECT_EQ(input_contents(*graph, *graph->find_input("i")).bound, row.bound) << row.text;
  }
}

TEST(InputSet, CopyTakesWhatItIsGiven) {
  CpuDevice device = open_cpu_device({.stream = {.threads = 1}}).value();
  ir::Graph graph("g");
  ASSERT_TRUE(graph.input("a", {ir::DType::F32, {4}}).has_value());
  const std::vector<ir::HostTensor> host{ir::random_tensor({ir::DType::F32, {4}}, 1)};
  EXPECT_EQ(InputSet::copy(graph, device, host).value().to_host(0).bytes, host[0].bytes);

  const auto fewer = InputSet::copy(graph, device, {});
  ASSERT_FALSE(fewer.has_value());
  EXPECT_EQ(fewer.error().message, "expected 1 inputs, found 0");
  const std::vector<ir::HostTensor> other{ir::random_tensor({ir::DType::F64, {2}}, 1)};
  const auto wrong = InputSet::copy(graph, device, other);
  ASSERT_FALSE(wrong.has_value());
  EXPECT_EQ(wrong.error().message, "input 0: expected f32[4], found f64[2] in 16 bytes");
}

TEST(InputSet, MovesAndGivesItsMemoryBack) {
  CpuDevice device = open_cpu_device({.stream = {.threads = 1}}).value();
  ir::Graph graph;
  ASSERT_TRUE(graph.input("a", {ir::DType::F32, {4}}).has_value());
  {
    InputSet first = InputSet::random(graph, device, 1);
    InputSet second = std::move(first);
    InputSet third = InputSet::random(graph, device, 2);
    third = std::move(second);
    EXPECT_EQ(third.to_host(0).bytes, ir::random_tensor({ir::DType::F32, {4}}, 1).bytes);
  }
  EXPECT_EQ(device.allocator->counters().live_bytes, 0);
}

}  // namespace
}  // namespace foretell::runtime::cpu
