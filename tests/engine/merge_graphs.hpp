// SPDX-License-Identifier: Apache-2.0
// Many graphs as one, so that their kernels are compiled together.
#pragma once

#include <span>
#include <vector>

#include "fusion-engine/ir/graph.hpp"

namespace foretell::tests {

// All graphs side by side: inputs and outputs in the order of the graphs, their names prefixed by the graph's
// number ("3.in0"). Equal nodes without inputs become one.
ir::Graph merge_graphs(std::span<const ir::Graph> graphs);

}  // namespace foretell::tests
