// SPDX-License-Identifier: Apache-2.0
// Views (permute, reshape, slice, expand) as another reading of a dense value's memory.
#pragma once

#include <vector>

#include "fusion-engine/ir/graph.hpp"
#include "fusion-engine/passes/fusion_plan.hpp"

namespace foretell::passes {

// How each node's value is read, by node id. A view whose layout strides can express is a reading of the
// buffer its chain of views starts at; every other value, a reshape that strides can't express included, is
// its own dense buffer.
std::vector<Operand> resolve_views(const ir::Graph& graph);

}  // namespace foretell::passes
