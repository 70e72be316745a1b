// SPDX-License-Identifier: Apache-2.0
// a + b, b + a -> one node. Equal nodes are one by construction of the graph; this pass also makes those
// equal that differ in the order of operands.
//
//   commutative ops  operands in the order of their ids, constants last; fma: of its factors
//   gt(a, b)         lt(b, a); ge(a, b) becomes le(b, a)
//
// maximum and minimum of floats keep their order: of +0 and -0 the second is taken. Random ops differ by
// their counter.
#pragma once

#include "fusion-engine/ir/graph.hpp"

namespace foretell::passes {

ir::Graph eliminate_common_subexpressions(const ir::Graph& graph);

}  // namespace foretell::passes
