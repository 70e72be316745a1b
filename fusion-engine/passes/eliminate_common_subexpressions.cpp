// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/passes/eliminate_common_subexpressions.hpp"

#include <tuple>
#include <utility>

#include "fusion-engine/passes/rebuild.hpp"

namespace foretell::passes {
namespace {

using ir::OpKind;

bool commutes(const ir::Node& node) {
  switch (node.op) {
    case OpKind::Add:
    case OpKind::Mul:
    case OpKind::Eq:
    case OpKind::Ne:
    case OpKind::And:
    case OpKind::Or:
    case OpKind::Xor:
    case OpKind::Fma: return true;  // of fma, the factors
    case OpKind::Maximum:
    case OpKind::Minimum: return ir::is_integer(node.type.dtype);
    default: return false;
  }
}

// The op that gives the same with the operands swapped.
std::optional<OpKind> mirrored(OpKind op) {
  switch (op) {
    case OpKind::Gt: return OpKind::Lt;
    case OpKind::Ge: return OpKind::Le;
    default: return std::nullopt;
  }
}

ir::NodeId make(ir::Graph& into, const ir::Node& node, const std::vector<ir::NodeId>& operands) {
  if (const auto op = mirrored(node.op)) {
    return into.add(*op, {operands[1], operands[0]}).value();
  }
  std::vector<ir::NodeId> ordered = operands;
  const auto rank = [&](ir::NodeId id) { return std::tuple(into.node(id).op == OpKind::Constant, id); };
  if (commutes(node) && rank(ordered[1]) < rank(ordered[0])) {
    std::swap(ordered[0], ordered[1]);
  }
  return copy_node(into, node, ordered);
}

}  // namespace

ir::Graph eliminate_common_subexpressions(const ir::Graph& graph) { return rebuild(graph, make); }

}  // namespace foretell::passes
