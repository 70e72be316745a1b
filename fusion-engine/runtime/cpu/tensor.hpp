// SPDX-License-Identifier: Apache-2.0
// A reading of device memory: what kernels take.
#pragma once

#include <cstddef>

#include "fusion-engine/ir/dtype.hpp"
#include "fusion-engine/ir/shape.hpp"

namespace foretell::runtime::cpu {

struct Tensor {
  std::byte* data = nullptr;  // of element 0
  ir::DType dtype = ir::DType::F32;
  ir::Shape shape;
  ir::Dims strides;  // elements; 0 along broadcast axes

  std::int64_t elements() const { return ir::elements(shape); }
  std::int64_t size_bytes() const { return elements() * static_cast<std::int64_t>(ir::size_bytes(dtype)); }
  bool is_dense() const { return strides == ir::dense_strides(shape); }
  // The element `offset` elements behind element 0 in memory.
  std::byte* at(std::int64_t offset) const {
    return data + offset * static_cast<std::int64_t>(ir::size_bytes(dtype));
  }
};

inline Tensor dense_tensor(std::byte* data, ir::DType dtype, const ir::Shape& shape) {
  return {.data = data, .dtype = dtype, .shape = shape, .strides = ir::dense_strides(shape)};
}
// As allocators take it.
inline std::size_t bytes_of(const Tensor& tensor) { return static_cast<std::size_t>(tensor.size_bytes()); }

}  // namespace foretell::runtime::cpu
