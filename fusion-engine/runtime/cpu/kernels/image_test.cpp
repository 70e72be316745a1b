// SPDX-License-Identifier: Apache-2.0
// The composite ops over images against the interpreter.
#include "fusion-engine/runtime/cpu/kernels/kernel_test_call.hpp"

namespace foretell::runtime::cpu {
namespace {

using ir::AttrKey;
using ir::DType;
using ir::OpKind;
using ir::Shape;

constexpr DType kFloats[] = {DType::F32, DType::F64, DType::BF16, DType::F16};

// Lengths around a vector's, channels one by one, long ones; a tensor and one of each per channel.
const Shape kImages[] = {{2, 6, 5, 7},      {3, 4},          {1, 12, 1, 1}, {4, 6, 67},
                         {2, 2, 3, 40, 40}, {1, 2, 150, 131}};

std::vector<ir::Type> with_channels(DType dtype, const Shape& x, std::size_t operands) {
  std::vector<ir::Type> types{{dtype, x}};
  types.resize(operands, {dtype, {x[1]}});
  return types;
}

TEST(GroupNorm, OverGroupsOfAnyLayout) {
  for (const DType dtype : kFloats) {
    for (const Shape& shape : kImages) {
      for (const std::int64_t groups : {std::int64_t{1}, std::int64_t{2}, shape[1]}) {
        for (const std::size_t operands : {1U, 2U, 3U}) {
          expect_matches_interpreter({.op = OpKind::GroupNorm,
                                      .inputs = with_channels(dtype, shape, operands),
                                      .attributes = {{AttrKey::Groups, groups}}});
        }
      }
    }
  }
}

TEST(BatchNorm, OverTheBatchOfAnyLayout) {
  for (const DType dtype : kFloats) {
    for (const Shape& shape : kImages) {
      expect_matches_interpreter({.op = OpKind::BatchNorm,
                                  .inputs = with_channels(dtype, shape, 3),
                                  .attributes = {{AttrKey::Epsilon, 0.25}}});
    }
  }
}

// Random variances are negative, too: an epsilon beyond their size keeps the root real.
TEST(BatchNorm, OverGivenStatistics) {
  for (const DType dtype : kFloats) {
    for (const Shape& shape : kImages) {
      expect_matches_interpreter({.op = OpKind::BatchNorm,
                                  .inputs = with_channels(dtype, shape, 5),
                                  .attributes = {{AttrKey::Epsilon, 3.0}}});
    }
  }
}

TEST(UpsampleNearest, ByAnyFactorOfAnyLayout) {
  for (const DType dtype : kFloats) {
    for (const Shape& shape : {Shape{2, 3, 5, 7}, Shape{1, 1, 1, 1}, Shape{1, 2, 9, 70}, Shape{2, 2, 0, 3}}) {
      for (const std::int64_t factor : {1, 2, 3}) {
        expect_matches_interpreter({.op = OpKind::UpsampleNearest,
                                    .inputs = {{dtype, shape}},
                                    .attributes = {{AttrKey::Factor, factor}}});
      }
    }
  }
}

}  // namespace
}  // namespace foretell::runtime::cpu
