// SPDX-License-Identifier: Apache-2.0
// Evaluates a graph over values: whole graphs, and the decompositions of composite ops.
#pragma once

#include <vector>

#include "fusion-engine/interp/interpreter.hpp"

namespace foretell::interp {

// Values by node id. Unless `keep_all`, dead nodes are left out and values are freed after their last use;
// outputs stay. `inputs` in the order of graph.inputs().
Result<std::vector<Value>> walk_graph(const ir::Graph& graph, std::vector<Value> inputs, bool keep_all,
                                      const EvaluateOptions& options);

}  // namespace foretell::interp
