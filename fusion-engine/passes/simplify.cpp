// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/passes/simplify.hpp"

#include <array>
#include <bit>
#include <cstdint>
#include <utility>

#include "fusion-engine/ir/infer.hpp"
#include "fusion-engine/passes/rebuild.hpp"
#include "fusion-engine/passes/simplify_rules.hpp"

namespace foretell::passes {
namespace {

constexpr std::array kRules{fold_constants, drop_expand,      simplify_sum,       simplify_product,
                            simplify_power, simplify_unary,   simplify_selection, simplify_logic,
                            simplify_cast,  simplify_permute, simplify_reshape,   simplify_expand,
                            simplify_slice, simplify_movement};

}  // namespace

std::optional<double> Simplifier::value(ir::NodeId id) const {
  return is(id, ir::OpKind::Constant) ? std::optional(at(id).attributes.real(ir::AttrKey::Value))
                                      : std::nullopt;
}

bool Simplifier::is_value(ir::NodeId id, double wanted) const {
  const auto found = value(id);
  return found && std::bit_cast<std::uint64_t>(*found) == std::bit_cast<std::uint64_t>(wanted);
}

ir::NodeId Simplifier::expanded(ir::NodeId id, const ir::Type& type) {
  if (at(id).type.shape == type.shape) {
    return id;
  }
  return make(ir::OpKind::Expand, {id},
              {{ir::AttrKey::Shape, ir::Ints(type.shape.begin(), type.shape.end())}});
}

// Every rule gives a smaller node or none, so this ends. What is added was refused by all rules: a second run
// of the pass changes nothing.
ir::NodeId Simplifier::make(ir::OpKind op, std::vector<ir::NodeId> operands, ir::Attributes attributes) {
  ir::Node node{.op = op, .operands = std::move(operands), .attributes = std::move(attributes), .type = {}};
  std::vector<ir::Type> types;
  for (const ir::NodeId operand : node.operands) {
    types.push_back(graph_.type(operand));
  }
  node.type = ir::infer(op, types, node.attributes).value();
  for (const auto rule : kRules) {
    if (const Replacement replacement = rule(*this, node)) {
      FORETELL_CHECK(graph_.type(*replacement) == node.type);
      return *replacement;
    }
  }
  return graph_.add(op, node.operands, std::move(node.attributes)).value();
}

ir::Graph simplify(const ir::Graph& graph) {
  return rebuild(graph, [](ir::Graph& into, const ir::Node& node, const std::vector<ir::NodeId>& operands) {
    return Simplifier(into).make(node.op, operands, node.attributes);
  });
}

}  // namespace foretell::passes
