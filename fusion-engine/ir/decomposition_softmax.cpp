// SPDX-License-Identifier: Apache-2.0
// Softmax, and what is built on it.
#include <cmath>
#include <limits>

#include "fusion-engine/ir/decomposition.hpp"
#include "fusion-engine/ir/decomposition_rules.hpp"

namespace foretell::ir {
namespace definitions {
namespace {

// x - amax(x): exponentials of it are at most 1.
Term below_largest(Term x, std::int64_t axis) { return x - reduce(OpKind::Amax, x, {axis}); }

Term log_sum_of(Term below, std::int64_t axis) {
  return apply(OpKind::Log, sum(apply(OpKind::Exp, below), {axis}));
}

Term softmax_of(Term x, std::int64_t axis) {
  const Term exponential = apply(OpKind::Exp, below_largest(x, axis));
  return exponential / sum(exponential, {axis});
}

// [N,C], whether it is the row's target.
Term target_hits(const Composite& it, std::int64_t rows, std::int64_t classes) {
  Term target = it.formula.term(it.operands[1]);
  if (counting_type(classes) == DType::I64) {
    target = cast(target, DType::I64);
  }
  const Term column = apply(OpKind::Reshape, target, {{AttrKey::Shape, Ints{rows, 1}}});
  return apply(OpKind::Eq, {iota(it.formula, {1, classes}, 1, target.dtype()), column});
}

}  // namespace

DType counting_type(std::int64_t count) {
  return count <= std::numeric_limits<std::int32_t>::max() ? DType::I32 : DType::I64;
}

Term iota(Formula& formula, Ints shape, std::int64_t axis, DType to) {
  return formula.add(OpKind::Iota, {},
                     {{AttrKey::Shape, std::move(shape)}, {AttrKey::Axis, axis}, {AttrKey::To, to}});
}

Term softmax(const Composite& it) { return softmax_of(it.at(0), it.axis()); }

Term softmax_grad(const Composite& it) {
  const Term y = it.at(0);
  const Term dy = it.at(1);
  return y * (dy - sum(y * dy, {it.axis()}));
}

Term log_softmax(const Composite& it) {
  const Term below = below_largest(it.at(0), it.axis());
  return below - log_sum_of(below, it.axis());
}

Term log_softmax_grad(const Composite& it) {
  const Term probability = apply(OpKind::Exp, it.at(0));
  const Term dy = it.at(1);
  return dy - probability * sum(dy, {it.axis()});
}

Term attention(const Composite& it) {
  const Term scores = attention_scores(it.formula, it.node, it.operands);
  return apply(OpKind::Matmul, {softmax_of(scores, last_axis(scores)), it.at(2)});
}

Term cross_entropy(const Composite& it) {
  const Term logits = it.at(0);
  const std::int64_t rows = extent_from_end(logits, 2);
  const std::int64_t classes = extent_from_end(logits, 1);
  const Term below = below_largest(logits, 1);
  const Term log_sum = log_sum_of(below, 1);
  const Term hits = target_hits(it, rows, classes);
  const Term picked = sum(select(hits, below, it.number(0)), {1});
  return reduce(OpKind::Sum, log_sum - picked, {0, 1}, false) * (1 / static_cast<double>(rows));
}

Term cross_entropy_grad(const Composite& it) {
  const Term logits = it.at(0);
  const std::int64_t rows = extent_from_end(logits, 2);
  const std::int64_t classes = extent_from_end(logits, 1);
  const Term probability = softmax_of(logits, 1);
  const Term hits = target_hits(it, rows, classes);
  const Term one = it.number(1);
  const Term beyond = probability - select(hits, one, it.number(0));
  return beyond * (it.at(2) * (1 / static_cast<double>(rows)));
}

}  // namespace definitions

double attention_scale(const Node& attention, std::int64_t head) {
  const double given = attention.attributes.real(AttrKey::Scale);
  return given != 0 ? given : 1 / std::sqrt(static_cast<double>(head));
}

Term attention_scores(Formula& formula, const Node& attention, std::span<const NodeId> operands) {
  const definitions::Composite it{formula, attention, operands, compute_type(attention.type.dtype)};
  const Term q = it.at(0);
  const Term k = it.at(1);
  const std::int64_t queries = definitions::extent_from_end(q, 2);
  const std::int64_t keys = definitions::extent_from_end(k, 2);
  Term scores = apply(OpKind::Matmul, {q, k}, {{AttrKey::TransposeB, true}});
  scores = scores * attention_scale(attention, definitions::extent_from_end(q, 1));
  if (operands.size() > 3) {
    scores = scores + it.at(3);
  }
  if (!attention.attributes.flag(AttrKey::Causal)) {
    return scores;
  }
  const DType counts = definitions::counting_type(keys);
  Term last_seen = definitions::iota(formula, {queries, 1}, 0, counts);
  if (keys != queries) {
    last_seen = last_seen + static_cast<double>(keys - queries);
  }
  const Term seen = apply(OpKind::Le, {definitions::iota(formula, {1, keys}, 1, counts), last_seen});
  return select(seen, scores, it.number(-std::numeric_limits<double>::infinity()));
}

}  // namespace foretell::ir
