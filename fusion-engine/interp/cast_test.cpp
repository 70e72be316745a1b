// SPDX-License-Identifier: Apache-2.0
// Casts of 64-bit integers, which a double can't hold.
#include <fmt/format.h>

#include "fusion-engine/interp/test_graph.hpp"

namespace foretell::interp {
namespace {

struct Case {
  std::int64_t value;
  std::string_view to;
  double want;
};

// 2^k, and a number whose nearest double lies on the tie of the target although it does not itself.
constexpr std::int64_t kOne = 1;
const Case kCases[] = {
    {(kOne << 60) + (kOne << 36) + 1, "f32", 0x1p60 + 0x1p37},
    {(kOne << 60) + (kOne << 36), "f32", 0x1p60},
    {(kOne << 60) + (kOne << 36) - 1, "f32", 0x1p60},
    {-(kOne << 60) - (kOne << 36) - 1, "f32", -0x1p60 - 0x1p37},
    {(kOne << 60) + (kOne << 52) + 1, "bf16", 0x1p60 + 0x1p53},
    {(kOne << 60) + (kOne << 52), "bf16", 0x1p60},
    {-(kOne << 60) - (kOne << 52) - 1, "bf16", -0x1p60 - 0x1p53},
    {(kOne << 53) + 1, "f64", 0x1p53},
    {(kOne << 53) + 3, "f64", 0x1p53 + 4},
    {2049, "f16", 2048},
    {2051, "f16", 2052},
    {INT64_MAX, "f32", 0x1p63},
    {INT64_MIN, "bf16", -0x1p63},
    {INT64_MAX, "f16", std::numeric_limits<double>::infinity()},
};

class WideIntegers : public testing::TestWithParam<Case> {};

TEST_P(WideIntegers, AreRoundedOnce) {
  const ir::Graph graph = graph_of(
      fmt::format("graph g\nx = input(to=i64, shape=[1])\ny = cast(x, to={})\nreturn y=y\n", GetParam().to));
  ir::HostTensor x = ir::make_tensor(graph.type(graph.inputs()[0]));
  ir::set_integer(x, 0, GetParam().value);
  const auto values = evaluate(graph, std::vector{x});
  ASSERT_TRUE(values.has_value()) << values.error().message;
  EXPECT_EQ((*values)[0].reals[0], GetParam().want);
}

INSTANTIATE_TEST_SUITE_P(Cast, WideIntegers, testing::ValuesIn(kCases),
                         [](const auto& row) { return fmt::format("{}_{}", row.param.to, row.index); });

TEST(ToTensor, GivesBackWhatToValueRead) {
  for (const ir::DType dtype : ir::kAllDTypes) {
    const ir::HostTensor tensor = ir::random_tensor({.dtype = dtype, .shape = {3, 5}}, 9);
    const Value value = to_value(tensor);
    EXPECT_EQ(value.type, tensor.type);
    EXPECT_EQ(to_tensor(value).bytes, tensor.bytes) << ir::to_string(dtype);
  }
}

}  // namespace
}  // namespace foretell::interp
