// SPDX-License-Identifier: Apache-2.0
// softmax(x) -> exp(x - amax(x)) / sum(...): composite ops, mean and var become their definition
// (ir/decomposition.hpp), which the fuser can look into.
#pragma once

#include "fusion-engine/ir/graph.hpp"

namespace foretell::passes {

// The first pass. Values stay the same up to the rounding of the ops of the definition.
ir::Graph decompose(const ir::Graph& graph);

}  // namespace foretell::passes
