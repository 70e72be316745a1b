// SPDX-License-Identifier: Apache-2.0
// The rules of differentiation, one row per op (vjp_*.cpp): what the cotangent of an op's result, d loss / d
// result, gives to each of its operands (a vector-Jacobian product).
#pragma once

#include <array>
#include <span>
#include <vector>

#include "fusion-engine/ir/graph.hpp"
#include "fusion-engine/ir/term.hpp"

namespace foretell::passes {

// An op and the operand whose cotangent is asked for.
struct Vjp {
  ir::Formula& formula;
  const ir::Node& node;
  std::size_t operand;
  ir::Term a, b, c;  // the first operands, as far as there are any
  ir::Term y;        // the result
  ir::Term dy;       // its cotangent

  std::size_t arity() const { return node.operands.size(); }
  ir::Term at(std::size_t i) const { return formula.term(node.operands[i]); }
  const ir::Attributes& attributes() const { return node.attributes; }
};

// Of an elementwise op the term has the shape of the op's result: where the operand was broadcast, it is
// summed afterwards. No term (Term{}): nothing that the rule has not given to an operand before this one.
using VjpRule = ir::Term (*)(const Vjp&);

struct VjpRow {
  ir::OpKind op;
  // By operand; the last one that is not null is that of all operands from there on. Null before it: an
  // operand that is no float.
  std::array<VjpRule, 4> rules{};

  VjpRule rule_of(std::size_t operand) const;
};

// Null: no gradient passes.
const VjpRow* find_vjp(ir::OpKind op);
// The ops that have no row because none passes: steps, what gives no floats, what has no operands.
std::span<const ir::OpKind> stopping_ops();

std::span<const VjpRow> elementwise_vjps();
std::span<const VjpRow> reduction_vjps();
std::span<const VjpRow> product_vjps();
std::span<const VjpRow> movement_vjps();
std::span<const VjpRow> composite_vjps();

// The cotangent of what was broadcast to `a`'s shape.
ir::Term sum_to(ir::Term a, const ir::Shape& shape);
// By a number that narrow floats may not hold: they are cast to the type computed in, and back.
ir::Term scaled(ir::Term a, double factor);

// A matrix product.
ir::Term product(ir::Term a, ir::Term b, bool transpose_a, bool transpose_b);

// What the cotangent of `root` gives to each of `wrt`; Term{} where root does not depend on it. Nothing
// passes beyond `boundary`.
std::vector<ir::Term> pull_back(ir::Formula& formula, ir::NodeId root, ir::Term cotangent,
                                std::span<const ir::NodeId> wrt, std::span<const ir::NodeId> boundary = {});

}  // namespace foretell::passes
