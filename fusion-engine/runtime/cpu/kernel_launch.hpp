// SPDX-License-Identifier: Apache-2.0
// A precompiled kernel as a command of the stream.
#pragma once

#include "fusion-engine/runtime/cpu/cpu_device.hpp"
#include "fusion-engine/runtime/cpu/kernel.hpp"

namespace foretell::runtime::cpu {

// Enqueues all stages. Layout and scratch memory are put into the call, and mean nothing afterwards: what the
// workers read is a copy, so that only the tensors' memory and attributes have to live until they have run.
void launch_kernel(CpuDevice& device, const CpuKernel& kernel, KernelCall& call);
// At once, in the calling thread alone; of a kernel without scratch memory.
void run_kernel(const CpuKernel& kernel, KernelCall& call);

}  // namespace foretell::runtime::cpu
