// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/ir/dtype.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace foretell::ir {
namespace {

template <class T>
void expect_format(DType dtype) {
  using Limits = std::numeric_limits<T>;
  EXPECT_EQ(info(dtype).unit_roundoff(), static_cast<double>(Limits::epsilon()) / 2);
  EXPECT_EQ(info(dtype).largest(), static_cast<double>(Limits::max()));
  EXPECT_EQ(info(dtype).smallest_normal(), static_cast<double>(Limits::min()));
  EXPECT_EQ(info(dtype).smallest_subnormal(), static_cast<double>(Limits::denorm_min()));
}

TEST(DTypeInfo, FloatsHaveTheRangeOfTheirFormat) {
  expect_format<float>(DType::F32);
  expect_format<double>(DType::F64);
  EXPECT_EQ(info(DType::F16).unit_roundoff(), 0x1p-11);
  EXPECT_EQ(info(DType::F16).largest(), 65504);
  EXPECT_EQ(info(DType::F16).smallest_normal(), 0x1p-14);
  EXPECT_EQ(info(DType::F16).smallest_subnormal(), 0x1p-24);
  EXPECT_EQ(info(DType::BF16).unit_roundoff(), 0x1p-8);
  EXPECT_EQ(info(DType::BF16).largest(), 0x1.fep127);
  EXPECT_EQ(info(DType::BF16).smallest_subnormal(), 0x1p-133);
  EXPECT_EQ(info(DType::I64).unit_roundoff(), 0);
}

// A row holds the types of the columns marked by x: f32, f64, bf16, f16, i32, i64, bool.
TEST(HoldsExactly, EveryPair) {
  constexpr const char* kHeld[]{
      "x.xx..x",  // f32
      "xxxxx.x",  // f64: no i64 beyond 2^53
      "..x...x",  // bf16
      "...x..x",  // f16
      "....x.x",  // i32
      "....xxx",  // i64
      "......x",  // bool
  };
  for (const DType wide : kAllDTypes) {
    for (const DType narrow : kAllDTypes) {
      const bool want = kHeld[static_cast<std::size_t>(wide)][static_cast<std::size_t>(narrow)] == 'x';
      EXPECT_EQ(holds_exactly(wide, narrow), want) << to_string(wide) << " of " << to_string(narrow);
    }
  }
}

}  // namespace
}  // namespace foretell::ir
