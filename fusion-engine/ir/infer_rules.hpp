// SPDX-License-Identifier: Apache-2.0
// The shape and dtype rules by category, one file each. They take ops whose arity and attribute types infer()
// has checked; every error is told as "op: what doesn't fit".
#pragma once

#include <fmt/format.h>

#include <optional>
#include <span>
#include <string>
#include <utility>

#include "fusion-engine/ir/graph.hpp"

namespace foretell::ir {

// An op on its way to a node.
struct Application {
  OpKind op;
  std::span<const Type> operands;
  Attributes& attributes;

  const Type& operand(std::size_t i) const { return operands[i]; }
  const Shape& shape(std::size_t i) const { return operands[i].shape; }

  template <class... Args>
  std::unexpected<Error> refuse(fmt::format_string<Args...> format, Args&&... args) const {
    return fail(ErrorCode::BadInput, {},
                fmt::format("{}: {}", to_string(op), fmt::format(format, std::forward<Args>(args)...)));
  }
};

Result<Type> infer_elementwise(const Application& it);
Result<Type> infer_cast(const Application& it);
Result<Type> infer_source(const Application& it);
Result<Type> infer_reduction(const Application& it);
Result<Type> infer_matmul(const Application& it);
Result<Type> infer_convolution(const Application& it);
Result<Type> infer_view(const Application& it);
Result<Type> infer_movement(const Application& it);
Result<Type> infer_composite(const Application& it);

// What several categories need.

// Presence and type of each attribute of the op's row; missing ones get their default.
Result<void> complete_attributes(OpKind op, Attributes& attributes);
// Operands [first, last) are all of `first`'s dtype.
Result<void> require_same_dtype(const Application& it, std::size_t first, std::size_t last);
Result<void> require_float(const Application& it, std::size_t i);
// i32 or i64, of gather, scatter_add, index_copy and cross_entropy.
Result<void> require_index(const Application& it, std::size_t i);
// The attribute Axis, brought into [0, rank) and stored so.
Result<std::size_t> normalize_axis(const Application& it, std::size_t rank);
// Non-negative, and small enough for a fresh one.
Result<void> require_counter(const Application& it);
// The rule of random_uniform and random_normal.
Result<Type> infer_random_source(const Application& it);
// Whether 64 bits count the bytes of so many elements of any type. Extents of 0 count as 1: then strides fit,
// too.
bool fits_memory(const Shape& shape);
// A finite epsilon of at least 0, as the norms take.
Result<void> require_epsilon(const Application& it);
// group_norm, batch_norm and upsample_nearest.
Result<Type> infer_image_composite(const Application& it);
// All but the last two extents.
Shape batch_of(const Shape& shape);
// Non-negative extents, at most kMaxRank of them.
Result<Shape> shape_from(const Application& it, const Ints& extents);

}  // namespace foretell::ir
