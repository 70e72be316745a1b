// SPDX-License-Identifier: Apache-2.0
// ir::random_tensor by a team: tensors of gigabytes in a second or two.
#pragma once

#include <cstdint>

#include "fusion-engine/ir/host_tensor.hpp"
#include "fusion-engine/runtime/cpu/stream.hpp"
#include "fusion-engine/runtime/cpu/tensor.hpp"

namespace foretell::runtime::cpu {

// Enqueues: fills the dense `tensor` with the bytes of ir::random_tensor(its type, seed, contents).
void launch_random_fill(Stream& stream, const Tensor& tensor, std::uint64_t seed,
                        const ir::Contents& contents);

}  // namespace foretell::runtime::cpu
