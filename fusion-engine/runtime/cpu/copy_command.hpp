// SPDX-License-Identifier: Apache-2.0
// Copies of tensors outside the ops of a graph.
#pragma once

#include "fusion-engine/ir/host_tensor.hpp"
#include "fusion-engine/runtime/cpu/stream.hpp"
#include "fusion-engine/runtime/cpu/tensor.hpp"

namespace foretell::runtime::cpu {

// Enqueues: the elements of `from`, dense, to `to`. `past_caches`: with streaming stores.
void launch_copy(Stream& stream, const Tensor& from, std::byte* to, bool past_caches);
// The elements of `from`, dense; nothing that writes them is enqueued.
ir::HostTensor copy_to_host(const Tensor& from);

}  // namespace foretell::runtime::cpu
