// SPDX-License-Identifier: Apache-2.0
// A better order in the neighbourhood of a good one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fusion-engine/passes/memory_plan.hpp"
#include "fusion-engine/passes/step_flow.hpp"

namespace foretell::passes {

// Moves single steps to other places that data flow allows, drawn at random from a fixed seed. A move stays
// if between the two places the most that is live falls, or stays as it is and the sum over the steps does
// not grow; so what is live at most never grows. Looks at about `budget` steps and readers in all, whatever
// the problem.
std::vector<std::size_t> improve_order(const MemoryProblem& problem, const StepFlow& flow,
                                       std::vector<std::size_t> order, std::int64_t budget);

}  // namespace foretell::passes
