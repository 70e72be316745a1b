// SPDX-License-Identifier: Apache-2.0
// What holds for every graph, checked from scratch: used after each pass and on parsed graphs.
#pragma once

#include "fusion-engine/ir/graph.hpp"

namespace foretell::ir {

// Operands precede users; types and attributes are what inference gives; no two nodes are equal; input and
// output names are unique; state outputs have their input's type, and each input is updated at most once.
// Errors name the node.
Result<void> verify(const Graph& graph);

}  // namespace foretell::ir
