// SPDX-License-Identifier: Apache-2.0
// Orders that are built step by step, each time with the step that is best for memory at that moment.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "fusion-engine/passes/memory_plan.hpp"
#include "fusion-engine/passes/step_flow.hpp"

namespace foretell::passes {

// What running a step now would do.
struct StepEffect {
  std::int64_t begins_bytes = 0;  // of buffers that become live with it
  std::int64_t ends_bytes = 0;    // of buffers that are not needed after it
  std::int64_t scratch_bytes = 0;
};

// The less, the sooner.
using StepKey = std::pair<std::int64_t, std::int64_t>;

enum class Direction : std::uint8_t {
  Forward,
  Backward,  // the last step is chosen first: buffers become live with a reader, and end with their writer
};

// Of the steps that may run, the one with the least key; of several, the one that is first in the given order
// (last, if backward).
std::vector<std::size_t> greedy_order(const MemoryProblem& problem, const StepFlow& flow, Direction direction,
                                      StepKey (*key_of)(const StepEffect&));

}  // namespace foretell::passes
