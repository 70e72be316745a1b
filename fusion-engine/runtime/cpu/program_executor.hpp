// SPDX-License-Identifier: Apache-2.0
// Runs a program: op by op or kernel by kernel, with launches or as a replay, in memory of the allocator or
// in one arena.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "fusion-engine/codegen/kernel_library.hpp"
#include "fusion-engine/runtime/cpu/input_set.hpp"
#include "fusion-engine/runtime/cpu/program.hpp"
#include "fusion-engine/runtime/executor.hpp"

namespace foretell::runtime::cpu {

// What a variant has that eager execution has not.
struct ExecutionForm {
  std::string_view name;
  bool fused = false;     // of a program with kernels
  bool recorded = false;  // commands are recorded once, then replayed: no dispatch, no allocation in a step
  bool planned = false;   // intermediates and scratch memory lie in one arena, in place where that is allowed
};
inline constexpr ExecutionForm kReplay{.name = "replay", .recorded = true};
inline constexpr ExecutionForm kFused{.name = "fused", .fused = true};
inline constexpr ExecutionForm kPlanned{.name = "planned", .planned = true};
inline constexpr ExecutionForm kFull{.name = "full", .fused = true, .recorded = true, .planned = true};

// Inputs and outputs are those of the program's original graph, by position. A step writes a state's new
// value to the state's buffer where nothing needs the old one afterwards; else it is copied there at the end.
// `library` (of load_fused_kernels) holds the program's kernels; null if it has none. Program, device and
// inputs outlive the executor. Errors (BadInput): the inputs are another graph's; (Unsupported): of an op.
Result<std::unique_ptr<Executor>> make_program_executor(const Program& program, const ExecutionForm& form,
                                                        std::shared_ptr<const codegen::KernelLibrary> library,
                                                        CpuDevice& device, InputSet& inputs);

}  // namespace foretell::runtime::cpu
