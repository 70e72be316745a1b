// SPDX-License-Identifier: Apache-2.0
// The definitions by kind, one file each. Every one gives the result in the type computed in.
#pragma once

#include <span>

#include "fusion-engine/ir/term.hpp"

namespace foretell::ir::definitions {

// A node on its way to its definition.
struct Composite {
  Formula& formula;
  const Node& node;
  std::span<const NodeId> operands;
  DType wide;  // the type computed in

  std::size_t arity() const { return operands.size(); }
  // The operand in the type computed in.
  Term at(std::size_t i) const { return cast(formula.term(operands[i]), wide); }
  Term number(double value) const { return formula.constant(value, wide); }
  const Attributes& attributes() const { return node.attributes; }
  std::int64_t axis() const { return node.attributes.integer(AttrKey::Axis); }
};

inline std::int64_t last_axis(Term x) { return static_cast<std::int64_t>(x.shape().rank()) - 1; }
inline std::int64_t extent_from_end(Term x, std::size_t i) { return x.shape()[x.shape().rank() - i]; }
// Of elements that one result element is the reduction of.
double count_of(const Shape& shape, const Ints& axes);
// Over these axes, which stay with extent 1.
Term mean_of(Term x, const Ints& axes);
Term iota(Formula& formula, Ints shape, std::int64_t axis, DType to);
// Counts up to there.
DType counting_type(std::int64_t count);

// decomposition_elementwise.cpp
Term gelu(const Composite& it);
Term gelu_grad(const Composite& it);
Term silu(const Composite& it);
Term silu_grad(const Composite& it);
Term dropout(const Composite& it);
Term random_normal(const Composite& it);
// decomposition_images.cpp
Term group_norm(const Composite& it);
Term batch_norm(const Composite& it);
Term upsample_nearest(const Composite& it);
// decomposition_norms.cpp
Term mean(const Composite& it);
Term variance(const Composite& it);
Term layer_norm(const Composite& it);
Term layer_norm_grad(const Composite& it);
Term layer_norm_weight_grad(const Composite& it);
Term rms_norm(const Composite& it);
Term rms_norm_grad(const Composite& it);
Term rms_norm_weight_grad(const Composite& it);
// decomposition_softmax.cpp
Term softmax(const Composite& it);
Term softmax_grad(const Composite& it);
Term log_softmax(const Composite& it);
Term log_softmax_grad(const Composite& it);
Term attention(const Composite& it);
Term cross_entropy(const Composite& it);
Term cross_entropy_grad(const Composite& it);

}  // namespace foretell::ir::definitions
