// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/ir/term.hpp"

#include <utility>

#include "src/base/check.hpp"

namespace foretell::ir {

const Type Formula::kNoType{.dtype = DType::F32, .shape = {1, 1, 1, 1, 1, 1, 1, 1}};
static_assert(kMaxRank == 8);

const Type& Term::type() const {
  return formula->error_.has_value() ? Formula::kNoType : formula->graph_.type(id);
}

Term Formula::add(OpKind op, std::span<const NodeId> operands, Attributes attributes) {
  if (error_.has_value()) {
    return term({});
  }
  return keep(graph_.add(op, operands, std::move(attributes)));
}

Term Formula::keep(Result<NodeId> made) {
  if (error_.has_value()) {
    return term({});
  }
  if (!made.has_value()) {
    error_ = std::move(made).error();
    return term({});
  }
  return term(*made);
}

Result<NodeId> Formula::finish(Term term) const {
  if (error_.has_value()) {
    return std::unexpected(*error_);
  }
  return term.id;
}

Term apply(OpKind op, std::span<const Term> operands, Attributes attributes) {
  FORETELL_CHECK(!operands.empty());
  std::vector<NodeId> ids;
  ids.reserve(operands.size());
  for (const Term& operand : operands) {
    ids.push_back(operand.id);
  }
  return operands[0].formula->add(op, ids, std::move(attributes));
}

Term cast(Term a, DType to) { return a.dtype() == to ? a : apply(OpKind::Cast, a, {{AttrKey::To, to}}); }

Term reshape(Term a, const Shape& shape) {
  return a.shape() == shape ? a
                            : apply(OpKind::Reshape, a, {{AttrKey::Shape, Ints(shape.begin(), shape.end())}});
}

Term expand(Term a, const Shape& shape) {
  return a.shape() == shape ? a
                            : apply(OpKind::Expand, a, {{AttrKey::Shape, Ints(shape.begin(), shape.end())}});
}

Term reduce(OpKind op, Term a, Ints axes, bool keep_dims) {
  return apply(op, a, {{AttrKey::Axes, std::move(axes)}, {AttrKey::KeepDims, keep_dims}});
}

Term filled(Formula& formula, double value, const Type& type) {
  return expand(formula.constant(value, type.dtype), type.shape);
}

}  // namespace foretell::ir
