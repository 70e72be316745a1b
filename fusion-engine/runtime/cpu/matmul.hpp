// SPDX-License-Identifier: Apache-2.0
// The matmul op on the stream: the library's blocks side by side on the workers, f64 by a kernel of our own,
// other types the library lacks by way of f32.
#pragma once

#include <atomic>

#include "fusion-engine/runtime/cpu/cpu_device.hpp"
#include "fusion-engine/runtime/cpu/matmul_library.hpp"
#include "fusion-engine/runtime/cpu/tensor.hpp"
#include "fusion-engine/runtime/executor.hpp"

namespace foretell::runtime::cpu {

class Matmul {
 public:
  explicit Matmul(CpuDevice& device);

  // Enqueues result = a * b, `result` dense. Adds launches and bytes to `counters`. Errors (Unsupported): the
  // library's refusal.
  Result<void> launch(const Tensor& a, const Tensor& b, bool transpose_a, bool transpose_b,
                      const Tensor& result, StepCounters& counters);
  // Of runs since the last call, after synchronize(). Errors (Environment): the library failed.
  Result<void> take_error();

 private:
  Result<void> launch_library(const Tensor& a, const Tensor& b, const MatmulBlocks& blocks,
                              const Tensor& result);

  CpuDevice& device_;
  MatmulLibrary library_;
  std::atomic<int> status_{0};
};

}  // namespace foretell::runtime::cpu
