// SPDX-License-Identifier: Apache-2.0
// x * 1 -> x and the like: a table of identities, each exact for every value that the types hold, NaN,
// infinities and the sign of zero included (NaN's payload aside). So x * 0 stays, and so does x + 0, which
// makes +0 of -0; x + -0 goes.
//
// Scalar constants are folded only where the result is the one that every executor computes: ops that are
// exact, or that IEEE 754 rounds correctly (Evaluation in ir/op_table.hpp), done in the type that kernels
// compute in and rounded to the constant's; and casts, where the value lies within the type's range. Integer
// arithmetic, whose result may be no double, and vector routines are left alone.
#pragma once

#include "fusion-engine/ir/graph.hpp"

namespace foretell::passes {

// After decompose. Nodes that lose their readers stay, for eliminate_dead_code.
ir::Graph simplify(const ir::Graph& graph);

}  // namespace foretell::passes
