// SPDX-License-Identifier: Apache-2.0
// Composite ops: by one op each, as frameworks run them backward.
#include <algorithm>

#include "fusion-engine/ir/decomposition.hpp"
#include "fusion-engine/passes/vjp.hpp"

namespace foretell::passes {
namespace {

using ir::Term;
using enum ir::OpKind;

// Through the op's decomposition: of ops that are gradients themselves, and norms over images. Equal operands
// are one node to it: the first gets all.
Term by_decomposition(const Vjp& it) {
  const auto& operands = it.node.operands;
  const ir::NodeId wanted = operands[it.operand];
  if (std::ranges::find(operands, wanted) != operands.begin() + static_cast<std::ptrdiff_t>(it.operand)) {
    return {};
  }
  const Term root = it.formula.keep(ir::decompose_node(it.formula.graph(), it.node, operands));
  return pull_back(it.formula, root.id, it.dy, {&wanted, 1}, operands)[0];
}

template <ir::OpKind op>
Term of_result(const Vjp& it) {
  return apply(op, {it.y, it.dy}, it.attributes());
}
template <ir::OpKind op>
Term of_operand(const Vjp& it) {
  return apply(op, {it.a, it.dy}, it.attributes());
}
template <ir::OpKind op>
Term of_operand_and_weight(const Vjp& it) {
  return it.arity() == 1 ? apply(op, {it.a, it.dy}, it.attributes())
                         : apply(op, {it.a, it.dy, it.b}, it.attributes());
}

// The same numbers are dropped, the others are scaled alike.
Term dropout_vjp(const Vjp& it) { return apply(Dropout, it.dy, it.attributes()); }

Term bias_vjp(const Vjp& it) { return sum_to(it.dy, ir::Shape(it.c.shape())); }

// Each element's copies, which are next to each other along two axes.
Term upsample_vjp(const Vjp& it) {
  const ir::Shape x = it.a.shape();
  const std::int64_t factor = it.attributes().integer(ir::AttrKey::Factor);
  const Term copies = reshape(it.dy, {x[0], x[1], x[2], factor, x[3], factor});
  return reduce(Sum, copies, {3, 5}, false);
}

Term cross_entropy_vjp(const Vjp& it) { return apply(CrossEntropyGrad, {it.a, it.b, it.dy}); }

// y = P V, P = softmax(S), S = scale * Q K^T + mask. Computed anew from Q and K, in the type attention
// computes in.
struct AttentionVjp {
  explicit AttentionVjp(const Vjp& it)
      : wide(ir::compute_type(it.dy.dtype())),
        dy(cast(it.dy, wide)),
        weights(softmax(attention_scores(it.formula, it.node, it.node.operands))) {}

  static Term softmax(Term scores) { return apply(Softmax, scores, {{ir::AttrKey::Axis, std::int64_t{-1}}}); }
  Term scores_cotangent(const Vjp& it) const {
    const Term given = product(dy, cast(it.c, wide), false, true);
    return apply(SoftmaxGrad, {weights, given}, {{ir::AttrKey::Axis, std::int64_t{-1}}});
  }

  ir::DType wide;
  Term dy;
  Term weights;
};

// To the operand's shape and type.
Term returned(const Vjp& it, Term given) {
  const ir::Type type = it.at(it.operand).type();
  return cast(sum_to(given, type.shape), type.dtype);
}
double scale_of(const Vjp& it) {
  const ir::Shape& queries = it.a.shape();
  return ir::attention_scale(it.node, queries[queries.rank() - 1]);
}

Term queries_vjp(const Vjp& it) {
  const AttentionVjp part(it);
  const Term cotangent = part.scores_cotangent(it);
  return returned(it, product(cotangent, cast(it.b, part.wide), false, false) * scale_of(it));
}
Term keys_vjp(const Vjp& it) {
  const AttentionVjp part(it);
  const Term cotangent = part.scores_cotangent(it);
  return returned(it, product(cotangent, cast(it.a, part.wide), true, false) * scale_of(it));
}
Term values_vjp(const Vjp& it) {
  const AttentionVjp part(it);
  return returned(it, product(part.weights, part.dy, true, false));
}
Term mask_vjp(const Vjp& it) { return returned(it, AttentionVjp(it).scores_cotangent(it)); }

constexpr VjpRow kRows[]{
    {Dropout, {dropout_vjp}},
    {Softmax, {of_result<SoftmaxGrad>}},
    {LogSoftmax, {of_result<LogSoftmaxGrad>}},
    {LayerNorm, {of_operand_and_weight<LayerNormGrad>, of_operand<LayerNormWeightGrad>, bias_vjp}},
    {RmsNorm, {of_operand_and_weight<RmsNormGrad>, of_operand<RmsNormWeightGrad>}},
    {GroupNorm, {by_decomposition}},
    {BatchNorm, {by_decomposition}},
    {Gelu, {of_operand<GeluGrad>}},
    {Silu, {of_operand<SiluGrad>}},
    {Attention, {queries_vjp, keys_vjp, values_vjp, mask_vjp}},
    {UpsampleNearest, {upsample_vjp}},
    {CrossEntropy, {cross_entropy_vjp}},
    {SoftmaxGrad, {by_decomposition}},
    {LogSoftmaxGrad, {by_decomposition}},
    {LayerNormGrad, {by_decomposition}},
    {LayerNormWeightGrad, {by_decomposition}},
    {RmsNormGrad, {by_decomposition}},
    {RmsNormWeightGrad, {by_decomposition}},
    {GeluGrad, {by_decomposition}},
    {SiluGrad, {by_decomposition}},
    {CrossEntropyGrad, {by_decomposition}},
};

}  // namespace

std::span<const VjpRow> composite_vjps() { return kRows; }

}  // namespace foretell::passes
