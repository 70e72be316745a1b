// SPDX-License-Identifier: Apache-2.0
// Refuses a workload that this machine has no memory for, before it is killed for it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "fusion-engine/ir/graph.hpp"
#include "src/base/result.hpp"

namespace foretell::bridge {

// Of the largest input, constant or result that an output needs.
std::int64_t largest_tensor_bytes(const ir::Graph& graph);

// Bytes of a copy's source, and of its target: largest_tensor_bytes(); 0 where that is so small that a copy
// is over before a worker is awake, and no reference for anything.
std::int64_t copy_block_bytes(const ir::Graph& graph);

// What running it takes: the inputs (of states two, for beginning anew), the largest sum of results that wait
// for their last use in a step of the eager variant, which keeps most, the outputs of one variant while
// another runs, and both blocks of the copies. Views take none. `own_memories`: variants that keep memory of
// their own (a recording's, an arena), each taken to be as much as eager's results. Stops at the largest
// int64.
std::int64_t needed_bytes(const ir::Graph& graph, std::size_t own_memories = 0);
// Errors (Environment): it needs more than `available_bytes`; 0: not known, no refusal.
Result<void> check_memory(const ir::Graph& graph, std::size_t own_memories, std::int64_t available_bytes);

}  // namespace foretell::bridge
