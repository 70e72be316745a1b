// SPDX-License-Identifier: Apache-2.0
// Which steps of a memory problem must wait for which.
#pragma once

#include <cstddef>
#include <vector>

#include "fusion-engine/passes/memory_plan.hpp"

namespace foretell::passes {

// By step, each neighbour as often as there is a reason for it.
struct StepFlow {
  std::vector<std::vector<std::size_t>> before;
  std::vector<std::vector<std::size_t>> behind;
};

StepFlow flow_of(const MemoryProblem& problem);

}  // namespace foretell::passes
