// SPDX-License-Identifier: Apache-2.0
// Convolutions of f64 and their gradients, which the library (oneDNN) does not have: plain loops over rows.
#pragma once

#include <cstdint>

#include "fusion-engine/ir/convolution.hpp"

namespace foretell::runtime::cpu {

struct ConvolutionF64 {
  ir::OpKind op{};
  ir::Convolution of;
  const double* a = nullptr;  // operands in the op's order, dense
  const double* b = nullptr;
  double* result = nullptr;

  // Parts of the result that are computed apart from each other: planes of an image, or of a filter.
  std::int64_t units() const;
  void run(std::int64_t unit) const;
};

}  // namespace foretell::runtime::cpu
