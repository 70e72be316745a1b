// SPDX-License-Identifier: Apache-2.0
// Graphs written as formulas: `dy * (1.0 - y * y)` adds two products and a difference. What doesn't fit is
// remembered, once, and asked for at the end.
//
// No formula has two operands that both add nodes, other than in braces, whose order is fixed: compilers
// differ in which they evaluate first, and ids would differ with them.
#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <vector>

#include "fusion-engine/ir/graph.hpp"

namespace foretell::ir {

class Formula;

// A value of the formula's graph. After a failure any of the type Formula::kNoType.
struct Term {
  Formula* formula = nullptr;
  NodeId id{};

  // Good until the next node is added.
  const Type& type() const;
  const Shape& shape() const { return type().shape; }
  DType dtype() const { return type().dtype; }
};

// The graph that formulas add to, and the first failure.
class Formula {
 public:
  explicit Formula(Graph& graph) : graph_(graph) {}

  Graph& graph() { return graph_; }
  Term term(NodeId id) { return {this, id}; }
  Term constant(double value, DType dtype) { return term(graph_.constant(value, dtype)); }
  Term add(OpKind op, std::span<const NodeId> operands, Attributes attributes = {});
  // A node made elsewhere, or why it could not be.
  Term keep(Result<NodeId> made);

  const std::optional<Error>& error() const { return error_; }
  // The term's id, or the first failure.
  Result<NodeId> finish(Term term) const;

 private:
  friend struct Term;
  // With all axes there can be, so that formulas which go on after a failure may ask for any.
  static const Type kNoType;

  Graph& graph_;
  std::optional<Error> error_;
};

Term apply(OpKind op, std::span<const Term> operands, Attributes attributes = {});
inline Term apply(OpKind op, std::initializer_list<Term> operands, Attributes attributes = {}) {
  return apply(op, std::span(operands.begin(), operands.size()), std::move(attributes));
}
inline Term apply(OpKind op, Term operand, Attributes attributes = {}) {
  return apply(op, {operand}, std::move(attributes));
}

inline Term operator+(Term a, Term b) { return apply(OpKind::Add, {a, b}); }
inline Term operator-(Term a, Term b) { return apply(OpKind::Sub, {a, b}); }
inline Term operator*(Term a, Term b) { return apply(OpKind::Mul, {a, b}); }
inline Term operator/(Term a, Term b) { return apply(OpKind::Div, {a, b}); }
inline Term operator-(Term a) { return apply(OpKind::Neg, a); }
// A number is a constant of the other operand's dtype.
inline Term like(Term a, double value) { return a.formula->constant(value, a.dtype()); }
inline Term operator+(Term a, double b) { return a + like(a, b); }
inline Term operator-(Term a, double b) { return a - like(a, b); }
inline Term operator*(Term a, double b) { return a * like(a, b); }
inline Term operator/(Term a, double b) { return a / like(a, b); }
inline Term operator-(double a, Term b) { return like(b, a) - b; }
inline Term select(Term condition, Term a, Term b) { return apply(OpKind::Where, {condition, a, b}); }

// The term itself where it has the type, shape or axes already.
Term cast(Term a, DType to);
Term reshape(Term a, const Shape& shape);
Term expand(Term a, const Shape& shape);
// A reduction; reduced axes stay with extent 1.
Term reduce(OpKind op, Term a, Ints axes, bool keep_dims = true);
inline Term sum(Term a, Ints axes) { return reduce(OpKind::Sum, a, std::move(axes)); }

// The number in all elements.
Term filled(Formula& formula, double value, const Type& type);

}  // namespace foretell::ir
