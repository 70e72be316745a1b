// SPDX-License-Identifier: Apache-2.0
// The ops that read or write at positions given as data.
#pragma once

#include "fusion-engine/interp/evaluate_node.hpp"

namespace foretell::interp {

// Errors (BadInput): an index outside [0, extent of the axis).
Result<Value> evaluate_gather(const ir::Node& node, Operands operands, const EvaluateOptions& options);
Result<Value> evaluate_scatter_add(const ir::Node& node, Operands operands, const EvaluateOptions& options);
Result<Value> evaluate_index_copy(const ir::Node& node, Operands operands, const EvaluateOptions& options);

}  // namespace foretell::interp
