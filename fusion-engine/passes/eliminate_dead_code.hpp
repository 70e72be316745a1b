// SPDX-License-Identifier: Apache-2.0
// Nodes that no output depends on are dropped.
#pragma once

#include "fusion-engine/ir/graph.hpp"

namespace foretell::passes {

// All inputs stay, in order: they are the graph's signature.
ir::Graph eliminate_dead_code(const ir::Graph& graph);

}  // namespace foretell::passes
