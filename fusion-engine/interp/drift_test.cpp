// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/interp/drift.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace foretell::interp {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

ir::Type vector_of(ir::DType dtype, std::size_t count) {
  return {.dtype = dtype, .shape = {static_cast<std::int64_t>(count)}};
}

ir::HostTensor tensor(ir::DType dtype, const std::vector<double>& values) {
  ir::HostTensor result = ir::make_tensor(vector_of(dtype, values.size()));
  for (std::size_t i = 0; i < values.size(); ++i) {
    ir::set(result, static_cast<std::int64_t>(i), values[i]);
  }
  return result;
}

Value reals(ir::DType dtype, const std::vector<double>& values, const std::vector<double>& bounds = {}) {
  return {.type = vector_of(dtype, values.size()), .reals = values, .integers = {}, .bounds = bounds};
}

TEST(Compare, EqualValuesHaveNoDrift) {
  const Drift drift = compare(tensor(ir::DType::F32, {0, 1.5, kInf, kNan}),
                              reals(ir::DType::F32, {0, 1.5, kInf, kNan}, {0, 0, 0, 0}));
  EXPECT_EQ(drift.elements, 4);
  EXPECT_EQ(drift.max_relative, 0);
  EXPECT_EQ(drift.max_ulp, 0);
  EXPECT_EQ(drift.max_of_bound, 0);
  EXPECT_EQ(drift.nonfinite_mismatches, 0);
}

TEST(Compare, MeasuresInUlpOfTheDType) {
  const Drift f32 = compare(tensor(ir::DType::F32, {1 + 0x1p-22}), reals(ir::DType::F32, {1}));
  EXPECT_EQ(f32.max_ulp, 2);
  EXPECT_EQ(f32.max_relative, 0x1p-22);
  EXPECT_EQ(f32.ulp_histogram[2], 1);  // above 1, up to 2
  EXPECT_EQ(compare(tensor(ir::DType::BF16, {1 + 0x1p-7}), reals(ir::DType::BF16, {1})).max_ulp, 1);
  EXPECT_EQ(compare(tensor(ir::DType::F16, {1 + 0x1p-10}), reals(ir::DType::F16, {1})).max_ulp, 1);
  EXPECT_EQ(compare(tensor(ir::DType::F64, {1 + 0x1p-52}), reals(ir::DType::F64, {1})).max_ulp, 1);
  EXPECT_EQ(compare(tensor(ir::DType::F32, {0x1p-149}), reals(ir::DType::F32, {0})).max_ulp, 1);
}

TEST(Compare, RelativeErrorNearZeroIsOfTheSmallestNormal) {
  EXPECT_EQ(compare(tensor(ir::DType::F32, {0x1p-126}), reals(ir::DType::F32, {0})).max_relative, 1);
}

TEST(Compare, CountsNonfiniteOnOneSide) {
  const Drift drift =
      compare(tensor(ir::DType::F32, {kInf, 1, kNan, -kInf}), reals(ir::DType::F32, {1, kNan, kInf, kInf}));
  EXPECT_EQ(drift.nonfinite_mismatches, 4);
}

TEST(Compare, ReferenceBeyondTheRangeStandsForInfinity) {
  EXPECT_EQ(compare(tensor(ir::DType::F16, {kInf}), reals(ir::DType::F16, {70000})).nonfinite_mismatches, 0);
  // 65520 is the tie between the largest number and what would be the next.
  EXPECT_EQ(compare(tensor(ir::DType::F16, {-kInf}), reals(ir::DType::F16, {-65520})).nonfinite_mismatches,
            0);
}

TEST(Compare, ReferenceThatRoundsToTheLargestNumberIsFinite) {
  const Drift drift =
      compare(tensor(ir::DType::F16, {65504, -65504}), reals(ir::DType::F16, {65519.9, -65505}));
  EXPECT_EQ(drift.nonfinite_mismatches, 0);
  EXPECT_LT(drift.max_ulp, 0.5);
  EXPECT_EQ(compare(tensor(ir::DType::F16, {kInf}), reals(ir::DType::F16, {65519.9})).nonfinite_mismatches,
            1);
}

TEST(Compare, RelatesToBoundsAndLeavesOutTheUndetermined) {
  const Drift drift =
      compare(tensor(ir::DType::F32, {1.5, 2, 9}), reals(ir::DType::F32, {1, 2, 3}, {1, 0, kInf}));
  EXPECT_EQ(drift.max_of_bound, 0.5);
  EXPECT_EQ(drift.undetermined, 1);
  EXPECT_EQ(drift.mean_relative, 0.25);
  EXPECT_EQ(compare(tensor(ir::DType::F32, {1.5}), reals(ir::DType::F32, {1}, {0})).max_of_bound, kInf);
}

// What fusion does to bf16: intermediates are not rounded between ops, so the results differ from eager's,
// and may be nearer the truth. Both are judged by the reference and its bounds: 127 times a reference near
// zero is nothing, a wrong sign is.
TEST(Compare, Bf16ResultsThatDifferMayBothBeRightB43) {
  const Value reference = reals(ir::DType::BF16, {1.6e-6, 0.25, 1.0078125}, {4e-3, 4e-3, 8e-3});
  const Drift eager = compare(tensor(ir::DType::BF16, {0x1p-12, 0.25, 1}), reference);
  const Drift fused = compare(tensor(ir::DType::BF16, {0, 0.25, 1.0078125}), reference);
  EXPECT_GT(eager.max_relative, 127);
  EXPECT_LE(eager.max_of_bound, 1);
  EXPECT_LE(fused.max_of_bound, 1);
  EXPECT_LT(fused.max_of_bound, eager.max_of_bound);

  const Drift wrong_sign = compare(tensor(ir::DType::BF16, {0, -0.25, 1}), reference);
  EXPECT_GT(wrong_sign.max_of_bound, 100);
}

TEST(Compare, IntegersDifferByTheirDifference) {
  const Value reference{
      .type = vector_of(ir::DType::I32, 3), .reals = {}, .integers = {5, -5, 7}, .bounds = {}};
  const Drift drift = compare(tensor(ir::DType::I32, {5, 5, 7}), reference);
  EXPECT_EQ(drift.max_relative, 10);
  EXPECT_EQ(drift.max_ulp, 10);
}

TEST(Merge, WeighsByElements) {
  Drift into = compare(tensor(ir::DType::F32, {1, 1, 1}), reals(ir::DType::F32, {1, 1, 1}));
  merge(into, compare(tensor(ir::DType::F32, {2, kInf}), reals(ir::DType::F32, {1, 1})));
  EXPECT_EQ(into.elements, 5);
  EXPECT_EQ(into.max_relative, 1);
  EXPECT_DOUBLE_EQ(into.mean_relative, 0.2);
  EXPECT_EQ(into.nonfinite_mismatches, 1);
  EXPECT_EQ(into.ulp_histogram[0], 3);
}

}  // namespace
}  // namespace foretell::interp
