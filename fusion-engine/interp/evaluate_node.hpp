// SPDX-License-Identifier: Apache-2.0
// One op of the reference: operands' values in, its value out. The functions by category take nodes that
// inference accepted; sizes are not checked again.
#pragma once

#include <span>

#include "fusion-engine/interp/interpreter.hpp"

namespace foretell::interp {

using Operands = std::span<const Value* const>;

// Any op but an input. Errors (BadInput): an index out of range in gather, scatter_add or index_copy.
Result<Value> evaluate_node(const ir::Node& node, Operands operands, const EvaluateOptions& options);

Value evaluate_elementwise(const ir::Node& node, Operands operands, const EvaluateOptions& options);
Value evaluate_cast(const ir::Node& node, const Value& operand, const EvaluateOptions& options);
Value evaluate_source(const ir::Node& node, const EvaluateOptions& options);
Value evaluate_reduction(const ir::Node& node, const Value& operand, const EvaluateOptions& options);
Value evaluate_matmul(const ir::Node& node, const Value& a, const Value& b, const EvaluateOptions& options);
// conv2d and its gradients.
Value evaluate_convolution(const ir::Node& node, const Value& a, const Value& b,
                           const EvaluateOptions& options);
// Views, concat, pad, gather, scatter_add, index_copy and host_read.
Result<Value> evaluate_movement(const ir::Node& node, Operands operands, const EvaluateOptions& options);
// Through its decomposition.
Result<Value> evaluate_composite(const ir::Node& node, Operands operands, const EvaluateOptions& options);

// A value of the type with room for its elements, all 0, bounds too if asked for.
Value make_value(const ir::Type& type, const EvaluateOptions& options);
// Wraps to 32 bits for i32; a bool becomes 0 or 1; the identity for i64.
std::int64_t wrap_to(std::int64_t value, ir::DType dtype);

}  // namespace foretell::interp
