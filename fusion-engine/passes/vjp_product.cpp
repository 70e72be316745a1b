// SPDX-License-Identifier: Apache-2.0
// Of products y = A B, A and B the operands as they are read: dA = dy B^T, dB = A^T dy. Convolutions are
// linear in both operands, too, and their gradients are ops whose gradients are each other.
#include "fusion-engine/passes/vjp.hpp"

namespace foretell::passes {
namespace {

using ir::Term;
using enum ir::OpKind;

bool transposes(const Vjp& it, ir::AttrKey key) { return it.attributes().flag(key); }

Term first_vjp(const Vjp& it) {
  const bool transpose_b = transposes(it, ir::AttrKey::TransposeB);
  const Term given = transposes(it, ir::AttrKey::TransposeA) ? product(it.b, it.dy, transpose_b, true)
                                                             : product(it.dy, it.b, false, !transpose_b);
  return sum_to(given, ir::Shape(it.a.shape()));
}

// All axes but the last as one.
Term rows_of(Term x) {
  const ir::Shape& shape = x.shape();
  const std::int64_t columns = shape[shape.rank() - 1];
  std::int64_t rows = 1;
  for (std::size_t i = 0; i + 1 < shape.rank(); ++i) {
    rows *= shape[i];
  }
  return reshape(x, {rows, columns});
}

Term second_vjp(const Vjp& it) {
  const bool transpose_a = transposes(it, ir::AttrKey::TransposeA);
  // One matrix for a whole batch: the sum over the batch is one product with longer columns.
  const bool is_shared = it.b.shape().rank() == 2 && !transpose_a;
  const Term a = is_shared ? rows_of(it.a) : it.a;
  const Term dy = is_shared ? rows_of(it.dy) : it.dy;
  const Term given = transposes(it, ir::AttrKey::TransposeB) ? product(dy, a, true, transpose_a)
                                                             : product(a, dy, !transpose_a, false);
  return sum_to(given, ir::Shape(it.b.shape()));
}

// The convolution, or one of its gradients, of these, with the node's way of walking the image. `shape` is
// the result's: of a gradient it is told.
Term convolution(const Vjp& it, ir::OpKind op, Term first, Term second, const ir::Shape& shape) {
  ir::Attributes attributes;
  for (const ir::AttrKey key : ir::info(op).attributes()) {
    attributes.set(
        key, key == ir::AttrKey::Shape ? ir::Ints(shape.begin(), shape.end()) : *it.attributes().find(key));
  }
  return apply(op, {first, second}, attributes);
}
// x, weight
Term image_vjp(const Vjp& it) { return convolution(it, Conv2dInputGrad, it.dy, it.b, it.a.shape()); }
Term filter_vjp(const Vjp& it) { return convolution(it, Conv2dWeightGrad, it.a, it.dy, it.b.shape()); }
// dy, weight
Term input_grad_cotangent_vjp(const Vjp& it) { return convolution(it, Conv2d, it.dy, it.b, it.a.shape()); }
Term input_grad_filter_vjp(const Vjp& it) {
  return convolution(it, Conv2dWeightGrad, it.dy, it.a, it.b.shape());
}
// x, dy
Term weight_grad_image_vjp(const Vjp& it) {
  return convolution(it, Conv2dInputGrad, it.b, it.dy, it.a.shape());
}
Term weight_grad_cotangent_vjp(const Vjp& it) { return convolution(it, Conv2d, it.a, it.dy, it.b.shape()); }

constexpr VjpRow kRows[]{
    {Matmul, {first_vjp, second_vjp}},
    {Conv2d, {image_vjp, filter_vjp}},
    {Conv2dInputGrad, {input_grad_cotangent_vjp, input_grad_filter_vjp}},
    {Conv2dWeightGrad, {weight_grad_image_vjp, weight_grad_cotangent_vjp}},
};

}  // namespace

std::span<const VjpRow> product_vjps() { return kRows; }

}  // namespace foretell::passes
