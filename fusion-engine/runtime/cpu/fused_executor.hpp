// SPDX-License-Identifier: Apache-2.0
// Runs a fused program: one dispatch per fused kernel, the eager way for ops that no kernel took.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "fusion-engine/codegen/kernel_library.hpp"
#include "fusion-engine/runtime/cpu/fused_program.hpp"
#include "fusion-engine/runtime/cpu/input_set.hpp"
#include "fusion-engine/runtime/executor.hpp"

namespace foretell::runtime::cpu {

// Compiles or loads the program's kernels. Inputs and outputs are those of the original graph, by position. A
// kernel writes a state's new value to the state's buffer where nothing needs the old one afterwards; else it
// is copied there at the end of the step. Program, device and inputs outlive the executor. The program's
// report is completed. Errors (Environment): from the library; (BadInput): the inputs are another graph's.
Result<std::unique_ptr<Executor>> make_fused_executor(FusedProgram& program,
                                                      const codegen::Compiler& compiler,
                                                      const codegen::CacheOptions& cache, CpuDevice& device,
                                                      InputSet& inputs);
// The same for many programs, whose kernels are compiled together and each once; in the order of the
// programs. `inputs[i]` belongs to `programs[i]`. Each report's library numbers are those of the whole.
Result<std::vector<std::unique_ptr<Executor>>> make_fused_executors(std::span<FusedProgram* const> programs,
                                                                    const codegen::Compiler& compiler,
                                                                    const codegen::CacheOptions& cache,
                                                                    CpuDevice& device,
                                                                    std::span<InputSet* const> inputs);

}  // namespace foretell::runtime::cpu
