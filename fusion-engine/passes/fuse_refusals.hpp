// SPDX-License-Identifier: Apache-2.0
// Why neighbours ended in different kernels.
#pragma once

#include <vector>

#include "fusion-engine/passes/fuse_clusters.hpp"

namespace foretell::passes {

// One per pair of a producer and a consumer (through views) that are not in one kernel, if either could be in
// one. Inputs, constants, iota and random numbers are no producers. Ordered by consumer, then operand.
std::vector<Refusal> explain_refusals(const ir::Graph& graph, const Clusters& clusters);

}  // namespace foretell::passes
