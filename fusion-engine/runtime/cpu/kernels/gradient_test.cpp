// SPDX-License-Identifier: Apache-2.0
// The ops that gradients are made of against the interpreter.
#include "fusion-engine/runtime/cpu/kernels/kernel_test_call.hpp"

namespace foretell::runtime::cpu {
namespace {

using ir::AttrKey;
using ir::DType;
using ir::OpKind;
using ir::Shape;

constexpr DType kFloats[] = {DType::F32, DType::F64, DType::BF16, DType::F16};

TEST(RowGradients, OfSoftmaxAlongAnyAxis) {
  for (const DType dtype : kFloats) {
    for (const Shape& shape : {Shape{67}, Shape{5, 35}, Shape{2, 3, 40}, Shape{2, 1100}, Shape{4, 1}}) {
      for (std::int64_t axis = 0; axis < static_cast<std::int64_t>(shape.rank()); ++axis) {
        for (const OpKind op : {OpKind::SoftmaxGrad, OpKind::LogSoftmaxGrad}) {
          expect_matches_interpreter(
              {.op = op, .inputs = {{dtype, shape}, {dtype, shape}}, .attributes = {{AttrKey::Axis, axis}}});
        }
      }
    }
  }
}

TEST(RowGradients, OfNormsWithAndWithoutWeights) {
  for (const DType dtype : kFloats) {
    for (const std::int64_t n : {1, 5, 64, 67, 1500}) {
      std::vector<ir::Type> inputs{{dtype, {3, 2, n}}, {dtype, {3, 2, n}}};
      for (const OpKind op : {OpKind::LayerNormWeightGrad, OpKind::RmsNormWeightGrad}) {
        expect_matches_interpreter({.op = op, .inputs = inputs});
      }
      for (std::size_t count = 2; count <= 3; ++count) {
        expect_matches_interpreter({.op = OpKind::LayerNormGrad, .inputs = inputs});
        expect_matches_interpreter({.op = OpKind::RmsNormGrad, .inputs = inputs});
        inputs.push_back({dtype, {n}});
      }
    }
  }
}

TEST(RowGradients, OfWeightsOverChunksOfRows) {
  for (const Shape& shape : {Shape{1001, 130}, Shape{300, 2, 1100}, Shape{0, 5}, Shape{2000, 1}}) {
    for (const OpKind op : {OpKind::LayerNormWeightGrad, OpKind::RmsNormWeightGrad}) {
      expect_matches_interpreter({.op = op, .inputs = {{DType::F32, shape}, {DType::F32, shape}}});
    }
  }
}

TEST(RowGradients, OfActivations) {
  for (const DType dtype : kFloats) {
    const std::vector<ir::Type> inputs{{dtype, {3, 67}}, {dtype, {3, 67}}};
    for (const bool approximate : {false, true}) {
      expect_matches_interpreter(
          {.op = OpKind::GeluGrad, .inputs = inputs, .attributes = {{AttrKey::Approximate, approximate}}});
    }
    expect_matches_interpreter({.op = OpKind::SiluGrad, .inputs = inputs});
  }
}

TEST(RowGradients, OfCrossEntropy) {
  for (const DType dtype : kFloats) {
    for (const DType index : {DType::I32, DType::I64}) {
      // Some targets are no class.
      for (const std::int64_t bound : {50, 80}) {
        expect_matches_interpreter({.op = OpKind::CrossEntropyGrad,
                                    .inputs = {{dtype, {37, 50}}, {index, {37}}, {dtype, {}}},
                                    .bound = bound});
      }
    }
  }
}

}  // namespace
}  // namespace foretell::runtime::cpu
