// SPDX-License-Identifier: Apache-2.0
// Orders in which the steps of a problem may run, as candidates for the least memory live at once.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "fusion-engine/passes/memory_plan.hpp"
#include "fusion-engine/passes/step_flow.hpp"

namespace foretell::passes {

struct NamedOrder {
  std::string_view name;
  std::vector<std::size_t> order;
};

// Beside the given order.
std::vector<NamedOrder> candidate_orders(const MemoryProblem& problem, const StepFlow& flow);

}  // namespace foretell::passes
