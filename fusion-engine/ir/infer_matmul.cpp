// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/ir/infer_rules.hpp"

namespace foretell::ir {
namespace {

std::string describe(const Shape& shape, bool transposed) {
  return to_string(shape) + (transposed ? " transposed" : "");
}

}  // namespace

Shape batch_of(const Shape& shape) { return Shape(std::span(shape.begin(), shape.rank() - 2)); }

Result<Type> infer_matmul(const Application& it) {
  FORETELL_RETURN_IF_ERROR(require_same_dtype(it, 0, 2));
  FORETELL_RETURN_IF_ERROR(require_float(it, 0));
  const Shape& a = it.shape(0);
  const Shape& b = it.shape(1);
  if (a.rank() < 2 || b.rank() < 2) {
    return it.refuse("expected ranks of at least 2, found {} and {}", to_string(a), to_string(b));
  }
  const bool transpose_a = it.attributes.flag(AttrKey::TransposeA);
  const bool transpose_b = it.attributes.flag(AttrKey::TransposeB);
  const std::int64_t rows = a[a.rank() - (transpose_a ? 1 : 2)];
  const std::int64_t inner_a = a[a.rank() - (transpose_a ? 2 : 1)];
  const std::int64_t inner_b = b[b.rank() - (transpose_b ? 1 : 2)];
  const std::int64_t columns = b[b.rank() - (transpose_b ? 2 : 1)];
  if (inner_a != inner_b) {
    return it.refuse("inner extents differ: {} by {}", describe(a, transpose_a), describe(b, transpose_b));
  }
  std::optional<Shape> shape = broadcast(batch_of(a), batch_of(b));
  if (!shape.has_value()) {
    return it.refuse("can't broadcast the batches of {} and {}", to_string(a), to_string(b));
  }
  shape->push_back(rows);
  shape->push_back(columns);
  return Type{.dtype = it.operand(0).dtype, .shape = *shape};
}

}  // namespace foretell::ir
