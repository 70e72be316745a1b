// SPDX-License-Identifier: Apache-2.0
// Bytes that a kernel moves between its core and memory.
#pragma once

#include <cstdint>
#include <vector>

#include "fusion-engine/passes/fusion_plan.hpp"
#include "fusion-engine/passes/iteration_space.hpp"

namespace foretell::passes {

// What crosses a kernel's border.
struct Border {
  // Values read, in order of first use; constants and recomputed sources are none.
  std::vector<ir::NodeId> inputs;
  // Of iota and random_uniform from outside, those that every reader in the kernel can compute again;
  // ascending.
  std::vector<ir::NodeId> sources;
  std::vector<ir::NodeId> outputs;  // ascending
};

// Bytes that reading the value moves: each element of the memory behind it at most once. Sums of bytes stop
// at the largest int64.
std::int64_t read_bytes(const ir::Graph& graph, const Operand& reading);

// Inputs read and outputs written once each, if what one unit walks over several times stays in a cache of
// `private_cache_bytes`; if not, inputs count once for each walk that reads them.
std::int64_t count_traffic(const ir::Graph& graph, const std::vector<Operand>& readings,
                           const std::vector<ir::NodeId>& members, const IterationSpace& space,
                           const Border& border, std::int64_t private_cache_bytes);

}  // namespace foretell::passes
