// SPDX-License-Identifier: Apache-2.0
// The kernels of fused programs, compiled or from the cache.
#pragma once

#include <memory>
#include <span>

#include "fusion-engine/codegen/kernel_library.hpp"
#include "fusion-engine/runtime/cpu/cpu_device.hpp"
#include "fusion-engine/runtime/cpu/program.hpp"

namespace foretell::runtime::cpu {

// Each distinct kernel once; on the processors of the device, on which nothing else runs meanwhile. Shared by
// all executors that call into it: the code is unloaded with the last. Null if the programs have no kernels.
// Each program's report gets the library's numbers, which are those of the whole. Errors (Environment): from
// the library.
Result<std::shared_ptr<const codegen::KernelLibrary>> load_fused_kernels(std::span<Program* const> programs,
                                                                         const codegen::Compiler& compiler,
                                                                         const codegen::CacheOptions& cache,
                                                                         const CpuDevice& device);

}  // namespace foretell::runtime::cpu
