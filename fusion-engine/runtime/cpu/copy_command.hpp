// SPDX-License-Identifier: Apache-2.0
// Copies of tensors outside the ops of a graph.
#pragma once

#include "fusion-engine/ir/host_tensor.hpp"
#include "fusion-engine/runtime/cpu/cpu_device.hpp"
#include "fusion-engine/runtime/cpu/kernel.hpp"
#include "fusion-engine/runtime/cpu/tensor.hpp"

namespace foretell::runtime::cpu {

// The call of copy_kernel() for it; equal types and shapes.
KernelCall copy_call(const Tensor& from, const Tensor& to, bool past_caches);
// Enqueues: the elements of `from`, dense, to `to`. `past_caches`: with streaming stores.
void launch_copy(CpuDevice& device, const Tensor& from, std::byte* to, bool past_caches);
// The elements of `from`, dense; nothing that writes them is enqueued.
ir::HostTensor copy_to_host(const Tensor& from);

}  // namespace foretell::runtime::cpu
