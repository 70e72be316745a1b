// SPDX-License-Identifier: Apache-2.0
// Refuses a workload that this machine has no memory for, before it is killed for it.
#pragma once

#include <cstdint>

#include "fusion-engine/ir/graph.hpp"
#include "src/base/result.hpp"

namespace foretell::bridge {

// Of the largest value of the graph.
std::int64_t largest_tensor_bytes(const ir::Graph& graph);
// About what running it side by side with the copies takes: the inputs, four of the largest tensor (two
// results that wait for their last use, two blocks of the copies).
std::int64_t needed_bytes(const ir::Graph& graph);
// Errors (Environment): it needs more than `available_bytes`; 0: not known, no refusal.
Result<void> check_memory(const ir::Graph& graph, std::int64_t available_bytes);

}  // namespace foretell::bridge
