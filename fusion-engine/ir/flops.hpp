// SPDX-License-Identifier: Apache-2.0
// How much arithmetic a node is, as roofline models count it.
#pragma once

#include <cstdint>

#include "fusion-engine/ir/graph.hpp"

namespace foretell::ir {

// Floating-point operations of one node, once: an elementwise op as its row counts it, a reduction one per
// element that it reads (a variance four), a product of matrices 2 m n k,
// a convolution or a gradient of one two per element of the result and the window, padding included. Casts,
// sources, views and movement are none, and so is a composite op, whose definition (decomposition.hpp) is
// counted. Stops at the largest int64.
std::int64_t flops(const Graph& graph, NodeId id);

}  // namespace foretell::ir
