// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/passes/eliminate_dead_code.hpp"

#include "fusion-engine/passes/rebuild.hpp"

namespace foretell::passes {

ir::Graph eliminate_dead_code(const ir::Graph& graph) {
  return rebuild(graph, ir::live_nodes(graph), copy_node);
}

}  // namespace foretell::passes
