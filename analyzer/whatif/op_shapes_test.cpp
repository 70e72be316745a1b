// SPDX-License-Identifier: Apache-2.0
#include "analyzer/whatif/op_shapes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace foretell::whatif {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(OpShapes, TensorsScalarsAndAbsentArgumentsAreToldApartByType) {
  const auto arguments =
      parse_arguments("[[64, 1024], [], [], []]", R"(["c10::BFloat16", "float", "Scalar", ""])", "");
  ASSERT_EQ(arguments.size(), 4U);
  EXPECT_THAT(arguments[0].tensors, ElementsAre(ElementsAre(64, 1024)));
  EXPECT_EQ(arguments[0].dtype, DType::BFloat16);
  EXPECT_TRUE(arguments[1].is_tensor()) << "a tensor of no dimension";
  EXPECT_EQ(arguments[1].elements(), 1);
  EXPECT_FALSE(arguments[2].is_tensor());
  EXPECT_FALSE(arguments[3].is_tensor());
}

TEST(OpShapes, WithoutTypesWhatHasDimensionsIsATensor) {
  const auto arguments = parse_arguments("[[32, 64], []]", "[]", "");
  ASSERT_EQ(arguments.size(), 2U);
  EXPECT_TRUE(arguments[0].is_tensor());
  EXPECT_EQ(arguments[0].dtype, DType::Unknown);
  EXPECT_FALSE(arguments[1].is_tensor());
}

TEST(OpShapes, ListOfTensorsIsOneArgument) {
  const auto arguments =
      parse_arguments("[[[8, 4], [8], []], []]", R"(["TensorList", "Scalar"])", R"(["", "0"])");
  ASSERT_EQ(arguments.size(), 2U);
  EXPECT_EQ(arguments[0].tensors.size(), 3U);
  EXPECT_EQ(arguments[0].elements(), 41);
  EXPECT_EQ(arguments[1].concrete, "0");
}

TEST(OpShapes, ConcreteListsOfNumbers) {
  const auto arguments = parse_arguments("[[], [], [], []]", R"(["ScalarList", "Scalar", "ScalarList", ""])",
                                         R"(["[2, -1]", "0.5", "[]", "a\"b"])");
  ASSERT_EQ(arguments.size(), 4U);
  EXPECT_THAT(arguments[0].numbers(), ElementsAre(2, -1));
  EXPECT_THAT(arguments[1].numbers(), IsEmpty());
  EXPECT_THAT(arguments[2].numbers(), IsEmpty());
  EXPECT_EQ(arguments[3].concrete, R"(a\"b)");
}

TEST(OpShapes, MalformedDimensionsAreNoArguments) {
  for (const char* text : {"", "[", "[[", "[[1", "[[1,]]", "[[1] [2]]", "[[1, x]]", "[1, 2]", "{}", "[[1]",
                           "[[99999999999999999999]]", "[[[[1]]]]"}) {
    EXPECT_THAT(parse_arguments(text, R"(["float"])", ""), IsEmpty()) << text;
  }
}

TEST(OpShapes, MalformedTypesAndValuesCountAsAbsent) {
  for (const char* text : {"", "[", R"(["float)", R"(["float",])", "[float]", R"(["\)"}) {
    const auto arguments = parse_arguments("[[2, 3]]", text, text);
    ASSERT_EQ(arguments.size(), 1U) << text;
    EXPECT_EQ(arguments[0].dtype, DType::Unknown) << text;
    EXPECT_EQ(arguments[0].elements(), 6) << text;
  }
}

TEST(OpShapes, EveryPrefixOfAGoodTextIsRead) {
  const std::string dims = R"([[64, 1024], [[8, 4], []], []])";
  const std::string types = R"(["c10::BFloat16", "TensorList", "Scalar"])";
  for (std::size_t i = 0; i < dims.size(); ++i) {
    EXPECT_THAT(parse_arguments(dims.substr(0, i), types, types), IsEmpty()) << i;
  }
  for (std::size_t i = 0; i <= types.size(); ++i) {
    EXPECT_EQ(parse_arguments(dims, types.substr(0, i), types.substr(0, i)).size(), 3U) << i;
  }
}

TEST(OpShapes, SizesThatCanNotBeCountAsNothing) {
  EXPECT_EQ(count_elements({2, 3, 4}), 24);
  EXPECT_EQ(count_elements({}), 1);
  EXPECT_EQ(count_elements({2, -3}), 0);
  EXPECT_EQ(count_elements({0, 1L << 62}), 0);
  EXPECT_EQ(count_elements({1L << 40, 1L << 40}), 0);
}

TEST(OpShapes, Broadcasting) {
  EXPECT_EQ(broadcast({{4, 1, 3}, {5, 1}, {}}), (Dims{4, 5, 3}));
  EXPECT_EQ(broadcast({{4, 3}, {4}}), std::nullopt);
  EXPECT_EQ(broadcast({}), Dims());
}

TEST(OpShapes, PromotionPrefersTheLargerKindThenTheLargerSize) {
  EXPECT_EQ(promote(DType::Bool, DType::Int64), DType::Int64);
  EXPECT_EQ(promote(DType::Int64, DType::Float16), DType::Float16);
  EXPECT_EQ(promote(DType::BFloat16, DType::Float16), DType::Float32);
  EXPECT_EQ(promote(DType::BFloat16, DType::Float32), DType::Float32);
  EXPECT_EQ(promote(DType::Unknown, DType::Bool), DType::Bool);
}

struct NameCase {
  std::string_view name;
  DType want;
};
constexpr NameCase kNames[] = {
    {"void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<c10::Half>, char*>",
     DType::Float16},
    {"void f<unsigned int, at::native::ReduceOp<double, float> >", DType::Float64},
    {"void at::native::(anonymous namespace)::RowwiseMomentsCUDAKernel<float>(long, float)", DType::Float32},
    {"binary_internal(float2)", DType::Unknown},
    {"volta_sgemm_128x64_nn", DType::Float32},
    {"sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n", DType::BFloat16},
    {"void cublasLt::splitKreduce_kernel<32, 16, int, __nv_bfloat16>", DType::BFloat16},
    {"void at::native::index<c10::complex<float>, double>(bool)", DType::Complex64},
    {"void f<long, bool>(unsigned char)", DType::Int64},
    {"", DType::Unknown},
};
TEST(OpShapes, ElementTypeInKernelNames) {
  for (const NameCase& each : kNames) {
    EXPECT_EQ(dtype_in_name(each.name), each.want) << each.name;
  }
}

}  // namespace
}  // namespace foretell::whatif
