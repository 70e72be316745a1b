// SPDX-License-Identifier: Apache-2.0
// Shape and dtype rules of the ops.
#pragma once

#include <span>

#include "fusion-engine/ir/graph.hpp"

namespace foretell::ir {

// The type of `op(operands; attributes)`. Completes `attributes` with defaults and brings axes, reshape's -1
// and slice steps to their stored form. Errors (BadInput): missing or unknown attribute, wrong arity, types
// or shapes that don't fit; each names the op, what was expected, and the operands' types.
Result<Type> infer(OpKind op, std::span<const Type> operands, Attributes& attributes);

}  // namespace foretell::ir
