// SPDX-License-Identifier: Apache-2.0
// A precompiled kernel as a command of the stream.
#pragma once

#include <cstddef>

#include "fusion-engine/runtime/cpu/kernel.hpp"
#include "fusion-engine/runtime/cpu/stream.hpp"

namespace foretell::runtime::cpu {

// Enqueues all stages. The call is copied: only memory and attributes have to live until it has run.
void launch_kernel(Stream& stream, const CpuKernel& kernel, const KernelCall& call);

}  // namespace foretell::runtime::cpu
