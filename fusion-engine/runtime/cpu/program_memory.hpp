// SPDX-License-Identifier: Apache-2.0
// A program's memory as the planning pass takes it: slots that steps allocate are its buffers.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fusion-engine/passes/memory_plan.hpp"
#include "fusion-engine/runtime/cpu/program_steps.hpp"
#include "fusion-engine/runtime/memory_layout.hpp"

namespace foretell::runtime::cpu {

struct ProgramMemory {
  // Its steps are those of the program, and one more at the end: the copies to states, which follow all.
  passes::MemoryProblem problem;
  std::vector<std::size_t> slots;  // by buffer
};

// `scratch_bytes`: of each step, as measured by whoever runs them.
ProgramMemory program_memory(const Program& program, const ProgramSteps& steps,
                             std::span<const std::int64_t> scratch_bytes);

// Plans it; nodes are named as the text form does, by number.
MemoryLayout plan_layout(const ProgramMemory& memory, const ProgramSteps& steps);

}  // namespace foretell::runtime::cpu
