// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "fusion-engine/runtime/cpu/tensor.hpp"

namespace foretell::runtime::cpu {

// What reading a tensor moves: elements along broadcast axes are read again, but moved once.
inline std::int64_t bytes_read(const Tensor& tensor) {
  auto bytes = static_cast<std::int64_t>(ir::size_bytes(tensor.dtype));
  for (std::size_t i = 0; i < tensor.shape.rank(); ++i) {
    bytes *= tensor.strides[i] == 0 && tensor.shape[i] != 0 ? 1 : tensor.shape[i];
  }
  return bytes;
}

}  // namespace foretell::runtime::cpu
