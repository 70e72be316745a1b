// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/ir/host_tensor.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "fusion-engine/ir/half.hpp"
#include "fusion-engine/ir/nearest_value.hpp"
#include "fusion-engine/ir/split_mix.hpp"

namespace foretell::ir {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

struct Case {
  const char* name;
  DType dtype;
  double in;
  double want;
};
class Stored : public testing::TestWithParam<Case> {};

TEST_P(Stored, RoundsToTheType) {
  HostTensor tensor = make_tensor({.dtype = GetParam().dtype, .shape = {2}});
  set(tensor, 1, GetParam().in);
  EXPECT_EQ(get(tensor, 0), 0.0);
  EXPECT_EQ(get(tensor, 1), GetParam().want);
  EXPECT_EQ(std::signbit(get(tensor, 1)), std::signbit(GetParam().want));
}
INSTANTIATE_TEST_SUITE_P(
    HostTensor, Stored,
    testing::Values(
        Case{"f32_tie_to_even", DType::F32, 1 + 0x1p-24, 1.0},
        Case{"f32_above_the_tie", DType::F32, 1 + 0x1p-24 + 0x1p-50, 1 + 0x1p-23},
        Case{"f32_overflow", DType::F32, 1e300, kInf}, Case{"f32_minus_zero", DType::F32, -0.0, -0.0},
        Case{"f64_as_it_is", DType::F64, 0.1, 0.1}, Case{"bf16_tie_to_even", DType::BF16, 1 + 0x1p-8, 1.0},
        // In two roundings, by way of f32, the last bit would be lost and the tie go to 1.
        Case{"bf16_in_one_rounding", DType::BF16, 1 + 0x1p-8 + 0x1p-40, 1 + 0x1p-7},
        Case{"bf16_overflow", DType::BF16, -3.4e38, -kInf},
        Case{"bf16_subnormal", DType::BF16, 0x1p-133 * 1.25, 0x1p-133},
        Case{"f16_in_one_rounding", DType::F16, 1 + 0x1p-11 + 0x1p-40, 1 + 0x1p-10},
        Case{"f16_largest", DType::F16, 65519.99, 65504.0}, Case{"f16_overflow", DType::F16, 65520.0, kInf},
        Case{"f16_subnormal", DType::F16, 0x1p-24 * 1.5 + 0x1p-60, 0x1p-23},
        Case{"f16_underflow", DType::F16, 0x1p-25, 0.0},
        Case{"f16_just_no_underflow", DType::F16, 0x1p-25 + 0x1p-70, 0x1p-24},
        Case{"i32_towards_zero", DType::I32, -2.9, -2.0}, Case{"i32_saturates", DType::I32, 1e10, 0x1p31 - 1},
        Case{"i32_of_nan", DType::I32, std::nan(""), 0.0}, Case{"i64_saturates", DType::I64, 1e30, 0x1p63},
        Case{"i64_smallest", DType::I64, -1e30, -0x1p63}, Case{"bool_of_nan", DType::Bool, std::nan(""), 1.0},
        Case{"bool_of_a_half", DType::Bool, 0.5, 1.0}),
    [](const auto& row) { return std::string(row.param.name); });

TEST(HostTensor, EveryHalfSurvives) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    const double f16 = static_cast<double>(f16_to_f32(half));
    const double bf16 = static_cast<double>(bf16_to_f32(half));
    ASSERT_TRUE(std::isnan(f16) || nearest_value(f16, DType::F16) == f16) << bits;
    ASSERT_TRUE(std::isnan(bf16) || nearest_value(bf16, DType::BF16) == bf16) << bits;
  }
}

TEST(HostTensor, NaNBecomesTheOneThatItsTextGivesBack) {
  for (const DType dtype : {DType::F32, DType::F64, DType::BF16, DType::F16}) {
    const double stored = nearest_value(-std::nan("1"), dtype);
    EXPECT_TRUE(std::isnan(stored));
    EXPECT_FALSE(std::signbit(stored));
  }
}

TEST(HostTensor, IntegersKeepAll64Bits) {
  HostTensor wide = make_tensor({.dtype = DType::I64, .shape = {2}});
  for (const std::int64_t value :
       {std::int64_t{0x7FFF'FFFF'FFFF'FFF1}, std::int64_t{-0x7FFF'FFFF'FFFF'FFF1}}) {
    set_integer(wide, 1, value);
    EXPECT_EQ(get_integer(wide, 1), value);
  }
  EXPECT_EQ(get_integer(wide, 0), 0);
  HostTensor narrow = make_tensor({.dtype = DType::I32, .shape = {1}});
  set_integer(narrow, 0, -7);
  EXPECT_EQ(get_integer(narrow, 0), -7);
  set_integer(narrow, 0, std::int64_t{1} << 40U);
  EXPECT_EQ(get_integer(narrow, 0), 0x7FFF'FFFF);
  HostTensor flag = make_tensor({.dtype = DType::Bool, .shape = {1}});
  set_integer(flag, 0, 256);
  EXPECT_EQ(get_integer(flag, 0), 1);
}

TEST(HostTensor, NearestIntegersSaturate) {
  constexpr auto kLargest = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(nearest_integer(0x1p63, DType::I64), kLargest);
  EXPECT_EQ(nearest_integer(0x1p63 - 1024, DType::I64), kLargest - 1023);
  EXPECT_EQ(nearest_integer(-0x1p63, DType::I64), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(nearest_integer(-kInf, DType::I32), std::numeric_limits<std::int32_t>::min());
  EXPECT_EQ(nearest_integer(2147483646.9, DType::I32), 2147483646);
  EXPECT_EQ(nearest_integer(std::nan(""), DType::I64), 0);
}

// Values of the sequence of seed 0 as the authors' own program gives them.
TEST(HostTensor, RandomContentsAreOfSplitMix64) {
  EXPECT_EQ(random_bits(0, 0), 0xE220A8397B1DCDAFU);
  EXPECT_EQ(random_bits(0, 1), 0x6E789E6AA1B965F4U);
  EXPECT_EQ(random_bits(0, 2), 0x06C45D188009454FU);
  EXPECT_EQ(get(random_tensor({.dtype = DType::F64, .shape = {1}}, 0), 0), uniform(0, 0));
}

TEST(HostTensor, RandomContentsAreWhatTheirRangeSays) {
  const Type type{.dtype = DType::F64, .shape = {1000}};
  const HostTensor narrow = random_tensor(type, 3, {.low = 2, .high = 2.5});
  const HostTensor ones = random_tensor(type, 3, {.low = 1, .high = 1});
  const HostTensor zeros = random_tensor(type, 3, {.low = 0, .high = 0});
  double sum = 0;
  for (std::int64_t i = 0; i < 1000; ++i) {
    EXPECT_GE(get(narrow, i), 2);
    EXPECT_LT(get(narrow, i), 2.5);
    EXPECT_EQ(get(ones, i), 1);
    sum += get(narrow, i);
  }
  EXPECT_NEAR(sum / 1000, 2.25, 0.03);              // 0.5 / sqrt(12 * 1000) is 0.005
  EXPECT_EQ(zeros.bytes, make_tensor(type).bytes);  // no -0
}

TEST(HostTensor, RandomContentsDependOnTheSeedAlone) {
  const Type type{.dtype = DType::F32, .shape = {64}};
  EXPECT_EQ(random_tensor(type, 1).bytes, random_tensor(type, 1).bytes);
  EXPECT_NE(random_tensor(type, 1).bytes, random_tensor(type, 2).bytes);
}

TEST(HostTensor, RandomContentsAreInRange) {
  for (const DType dtype : kAllDTypes) {
    const HostTensor tensor = random_tensor({.dtype = dtype, .shape = {1000}}, 7, {.bound = 5});
    double smallest = kInf;
    double largest = -kInf;
    for (std::int64_t i = 0; i < 1000; ++i) {
      smallest = std::min(smallest, get(tensor, i));
      largest = std::max(largest, get(tensor, i));
    }
    const bool counts = is_integer(dtype);
    EXPECT_GE(smallest, is_float(dtype) ? -1.0 : 0.0) << to_string(dtype);
    EXPECT_LE(largest, counts ? 4.0 : 1.0) << to_string(dtype);
    EXPECT_LT(smallest, is_float(dtype) ? -0.9 : 0.5) << to_string(dtype);
    EXPECT_GT(largest, counts ? 3.5 : 0.9) << to_string(dtype);
  }
}

}  // namespace
}  // namespace foretell::ir
