// SPDX-License-Identifier: Apache-2.0
// Operands that are positions.
#pragma once

#include <atomic>
#include <cstdint>

#include "fusion-engine/runtime/cpu/kernel.hpp"
#include "fusion-engine/runtime/cpu/kernels/staging.hpp"

namespace foretell::runtime::cpu::kernels {

// The i-th index, or -1 if it is out of [0, extent): then it is reported.
class Indices {
 public:
  // `error` as in KernelCall; null: not reported.
  Indices(const Tensor& tensor, std::int64_t extent, std::int64_t* error)
      : error_(error), tensor_(tensor), axes_(axes_of(tensor_, tensor_.shape)), extent_(extent) {}

  std::int64_t operator[](std::int64_t i) const {
    const std::int64_t offset = position_of(axes_, i).offset;
    const std::int64_t index = tensor_.dtype == ir::DType::I32
                                   ? reinterpret_cast<const std::int32_t*>(tensor_.data)[offset]
                                   : reinterpret_cast<const std::int64_t*>(tensor_.data)[offset];
    if (index >= 0 && index < extent_) {
      return index;
    }
    if (error_ != nullptr) {
      report(i + 1);
    }
    return -1;
  }
  std::int64_t count() const { return tensor_.elements(); }

 private:
  // The lowest, whichever lane comes first.
  void report(std::int64_t place) const {
    const std::atomic_ref<std::int64_t> lowest(*error_);
    std::int64_t known = lowest.load(std::memory_order_relaxed);
    while ((known == 0 || place < known) &&
           !lowest.compare_exchange_weak(known, place, std::memory_order_relaxed)) {
    }
  }

  std::int64_t* error_;
  Tensor tensor_;
  Axes axes_;
  std::int64_t extent_;
};

// A shape around its axis: [outer, extent, inner].
struct AroundAxis {
  std::int64_t outer = 1;
  std::int64_t extent = 1;
  std::int64_t inner = 1;
};
inline AroundAxis around_axis(const ir::Shape& shape, std::size_t axis) {
  AroundAxis around;
  for (std::size_t i = 0; i < shape.rank(); ++i) {
    (i < axis ? around.outer : (i == axis ? around.extent : around.inner)) *= shape[i];
  }
  return around;
}

}  // namespace foretell::runtime::cpu::kernels
