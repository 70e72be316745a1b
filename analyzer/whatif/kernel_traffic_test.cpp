// SPDX-License-Identifier: Apache-2.0
#include "analyzer/whatif/kernel_traffic.hpp"

#include <gtest/gtest.h>

#include <string>

namespace foretell::whatif {
namespace {

struct NameCase {
  const char* name;
  const char* kernel;
  double reads, side_reads;
  bool certain;
};

class SplitByName : public testing::TestWithParam<NameCase> {};

TEST_P(SplitByName, TemplateArgumentsTell) {
  const NameSplit found = split_by_name(GetParam().kernel);

  EXPECT_DOUBLE_EQ(found.split.reads, GetParam().reads);
  EXPECT_DOUBLE_EQ(found.split.side_reads, GetParam().side_reads);
  EXPECT_DOUBLE_EQ(found.split.writes, 1 - GetParam().reads);
  EXPECT_EQ(found.certain, GetParam().certain);
}

INSTANTIATE_TEST_SUITE_P(
    Names, SplitByName,
    testing::Values(
        NameCase{"Unary", "void at::native::vectorized_elementwise_kernel<4, F, std::array<char*, 2ul> >",
                 0.5, 0, false},
        NameCase{"Binary",
                 "void at::native::vectorized_elementwise_kernel<4, F, at::detail::Array<char*, 3> >",
                 2.0 / 3, 1.0 / 3, false},
        NameCase{"Fill", "void at::native::vectorized_elementwise_kernel<8, F, std::array<char*, 1ul> >", 0,
                 0, false},
        NameCase{"BinaryWithoutPointers",
                 "void at::native::elementwise_kernel<128, 2, at::native::BinaryFunctor<float> >", 2.0 / 3,
                 1.0 / 3, false},
        NameCase{"Reduction", "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float> >", 1, 0,
                 true},
        NameCase{"CastDown",
                 "void at::native::vectorized_elementwise_kernel<4, "
                 "at::native::bfloat16_copy_kernel_cuda(F)::{lambda(float)#1}>",
                 2.0 / 3, 0, true},
        NameCase{"CastUp", "void f<at::native::bfloat16tofloat32_copy_kernel_cuda(F)>", 1.0 / 3, 0, true},
        NameCase{"NothingKnown", "my_kernel", 0.5, 0, false},
        NameCase{"AbsurdPointers", "rray<char*, 99999999999999999999>", 0.5, 0, false}),
    [](const auto& param) { return param.param.name; });

TrafficSplit split_of(std::string_view op, std::string_view dims, std::string_view types) {
  return split_by_arguments(op, parse_arguments(dims, types, {})).value_or(TrafficSplit{0, 0, 0});
}

TEST(SplitByArguments, InputsAreReadAndTheirCommonShapeIsWritten) {
  const TrafficSplit mul = split_of("aten::mul", "[[8, 100], [8, 1]]", R"(["float", "float"])");
  EXPECT_DOUBLE_EQ(mul.reads, 808.0 / 1608);
  EXPECT_DOUBLE_EQ(mul.side_reads, 8.0 / 1608);
  EXPECT_DOUBLE_EQ(mul.writes, 800.0 / 1608);

  const TrafficSplit outer = split_of("aten::mul", "[[8, 1], [1, 100]]", R"(["float", "float"])");
  EXPECT_DOUBLE_EQ(outer.writes, 800.0 / 908);
}

TEST(SplitByArguments, CopiesReadTheirSecondArgument) {
  const TrafficSplit widen =
      split_of("aten::copy_", "[[64], [64], []]", R"(["float", "c10::BFloat16", "Scalar"])");
  EXPECT_DOUBLE_EQ(widen.reads, 1.0 / 3);
  EXPECT_DOUBLE_EQ(widen.writes, 2.0 / 3);
  EXPECT_EQ(widen.side_reads, 0);
}

TEST(SplitByArguments, UnknownTypesTellNothing) {
  EXPECT_FALSE(split_by_arguments("aten::mul", parse_arguments("[[64]]", R"(["my::Type"])", {})));
  EXPECT_FALSE(split_by_arguments("aten::mul", {}));
  std::string huge = "[[9000000000000000000";
  for (int i = 0; i < 20; ++i) {
    huge += ", 9000000000000000000";
  }
  EXPECT_FALSE(split_by_arguments("aten::mul", parse_arguments(huge + "]]", R"(["float"])", {})));
  EXPECT_FALSE(split_by_arguments("aten::copy_", parse_arguments("[[0], [0]]", R"(["float", "float"])", {})));
}

}  // namespace
}  // namespace foretell::whatif
