// SPDX-License-Identifier: Apache-2.0
// The rules of simplify. A rule looks at a node that isn't in the graph yet, its operands are; it gives what
// is to be used instead, of the same type, or nullopt.
#pragma once

#include <optional>
#include <vector>

#include "fusion-engine/ir/graph.hpp"

namespace foretell::passes {

class Simplifier {
 public:
  explicit Simplifier(ir::Graph& graph) : graph_(graph) {}

  // The op, simplified until no rule applies. The operands and attributes fit.
  ir::NodeId make(ir::OpKind op, std::vector<ir::NodeId> operands, ir::Attributes attributes = {});

  // Valid until the next make.
  const ir::Node& at(ir::NodeId id) const { return graph_.node(id); }
  bool is(ir::NodeId id, ir::OpKind op) const { return at(id).op == op; }
  // Of a scalar constant.
  std::optional<double> value(ir::NodeId id) const;
  // A constant of exactly this value, zeros told apart.
  bool is_value(ir::NodeId id, double value) const;
  ir::NodeId constant(double value, ir::DType dtype) { return graph_.constant(value, dtype); }
  // `id`, expanded to the type's shape where it is smaller.
  ir::NodeId expanded(ir::NodeId id, const ir::Type& type);

 private:
  ir::Graph& graph_;
};

using Replacement = std::optional<ir::NodeId>;

// simplify_arithmetic.cpp
Replacement simplify_sum(Simplifier& s, const ir::Node& node);
Replacement simplify_product(Simplifier& s, const ir::Node& node);
Replacement simplify_power(Simplifier& s, const ir::Node& node);
Replacement simplify_unary(Simplifier& s, const ir::Node& node);
Replacement simplify_selection(Simplifier& s, const ir::Node& node);
Replacement simplify_logic(Simplifier& s, const ir::Node& node);
Replacement simplify_cast(Simplifier& s, const ir::Node& node);
Replacement drop_expand(Simplifier& s, const ir::Node& node);
// simplify_views.cpp
Replacement simplify_permute(Simplifier& s, const ir::Node& node);
Replacement simplify_reshape(Simplifier& s, const ir::Node& node);
Replacement simplify_expand(Simplifier& s, const ir::Node& node);
Replacement simplify_slice(Simplifier& s, const ir::Node& node);
Replacement simplify_movement(Simplifier& s, const ir::Node& node);
// fold_constants.cpp
Replacement fold_constants(Simplifier& s, const ir::Node& node);

}  // namespace foretell::passes
