// SPDX-License-Identifier: Apache-2.0
// x * 1 -> x and the like: a table of identities, each exact for every value that the types hold, NaN,
// infinities and the sign of zero included (NaN's payload aside). So x * 0 stays, and so does x + 0, which
// makes +0 of -0; x + -0 goes.
//
// Scalar constants are folded only where the result is the one that every executor computes: selections,
// comparisons, casts and the operations that IEEE 754 rounds correctly. These are done in double and rounded
// once more; with p digits that is the same as one rounding where the wider format has 2 p + 2 (Figueroa,
// When is double rounding innocuous?, SIGNUM 1995), as double has for f32, and f32 for f16 and bf16. Integer
// arithmetic and vector routines are left alone.
#pragma once

#include "fusion-engine/ir/graph.hpp"

namespace foretell::passes {

// After decompose. Nodes that lose their readers stay, for eliminate_dead_code.
ir::Graph simplify(const ir::Graph& graph);

}  // namespace foretell::passes
