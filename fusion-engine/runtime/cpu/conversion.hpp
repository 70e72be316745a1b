// SPDX-License-Identifier: Apache-2.0
// What ops that a library runs need around it: operands of another layout or element type.
#pragma once

#include <array>

#include "fusion-engine/ir/graph.hpp"
#include "fusion-engine/runtime/cpu/cpu_device.hpp"
#include "fusion-engine/runtime/cpu/tensor.hpp"
#include "fusion-engine/runtime/executor.hpp"

namespace foretell::runtime::cpu {

// Enqueues: the elements of `from` as `dtype`, dense, to `to`. Counted: a launch and its bytes.
Tensor launch_conversion(CpuDevice& device, const Tensor& from, ir::DType dtype, std::byte* to,
                         StepCounters& counters);
// Enqueues zeros; of a dense tensor. Not counted.
void launch_zeros(CpuDevice& device, const Tensor& to);

// For a type that a library lacks: `launch` gets dense f32 copies of the operands and gives f32, which is
// rounded once to `result`.
template <std::size_t kOperands, class Launch>
Result<void> launch_in_f32(CpuDevice& device, std::array<Tensor, kOperands> operands, const Tensor& result,
                           StepCounters& counters, Launch launch) {
  Allocator& allocator = *device.allocator;
  const auto allocate = [&](const ir::Shape& shape) {
    Tensor wide = dense_tensor(nullptr, ir::DType::F32, shape);
    wide.data = allocator.allocate(bytes_of(wide));
    return wide;
  };
  for (Tensor& operand : operands) {
    const Tensor wide = allocate(operand.shape);
    operand = launch_conversion(device, operand, wide.dtype, wide.data, counters);
  }
  const Tensor wide = allocate(result.shape);
  Result<void> launched = launch(operands, wide);
  if (launched) {
    launch_conversion(device, wide, result.dtype, result.data, counters);
  }
  for (const Tensor& operand : operands) {
    allocator.release(operand.data, bytes_of(operand));
  }
  allocator.release(wide.data, bytes_of(wide));
  return launched;
}

}  // namespace foretell::runtime::cpu
