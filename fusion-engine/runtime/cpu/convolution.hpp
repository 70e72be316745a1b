// SPDX-License-Identifier: Apache-2.0
// conv2d and its gradients on the stream: the library's blocks side by side on the workers, windows of one
// element as products of matrices, f64 by loops of our own, other types the library lacks by way of f32.
#pragma once

#include <atomic>
#include <span>

#include "fusion-engine/ir/graph.hpp"
#include "fusion-engine/runtime/cpu/convolution_library.hpp"
#include "fusion-engine/runtime/cpu/cpu_device.hpp"
#include "fusion-engine/runtime/cpu/matmul.hpp"
#include "fusion-engine/runtime/cpu/tensor.hpp"
#include "fusion-engine/runtime/executor.hpp"

namespace foretell::runtime::cpu {

class Convolution {
 public:
  Convolution(CpuDevice& device, Matmul& matmul);  // both outlive it

  // Enqueues `node` over two operands, `result` dense. Adds launches and bytes to `counters`. Errors
  // (Unsupported): the library's refusal.
  Result<void> launch(const ir::Node& node, std::span<const Tensor> operands, const Tensor& result,
                      StepCounters& counters);
  // Of runs since the last call, after synchronize(). Errors (Environment): the library failed.
  Result<void> take_error();

 private:
  Result<void> launch_dense(ir::OpKind op, const ir::Convolution& of, const Tensor& a, const Tensor& b,
                            const Tensor& result, StepCounters& counters);
  Result<void> launch_product(ir::OpKind op, const ir::Convolution& of, const Tensor& a, const Tensor& weight,
                              const Tensor& result, StepCounters& counters);
  Result<void> launch_library(ir::OpKind op, const ir::Convolution& of, const Tensor& a, const Tensor& b,
                              const Tensor& result);

  CpuDevice& device_;
  Matmul& matmul_;
  ConvolutionLibrary library_;
  std::atomic<int> status_{0};
};

}  // namespace foretell::runtime::cpu
