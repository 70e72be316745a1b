// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/passes/differentiate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "fusion-engine/passes/vjp.hpp"

namespace foretell::passes {
namespace {

std::string describe(const ir::Graph& graph, ir::NodeId id) {
  const ir::Node& node = graph.node(id);
  const std::string name = node.op == ir::OpKind::Input
                               ? fmt::format("input '{}'", node.attributes.text(ir::AttrKey::Name))
                               : fmt::format("%{} ({})", ir::index(id), to_string(node.op));
  return fmt::format("{} of {}", name, to_string(node.type));
}

bool contains(std::span<const ir::NodeId> ids, ir::NodeId id) {
  return std::ranges::find(ids, id) != ids.end();
}

// Which nodes up to `root` a cotangent has to reach so that all of `wrt` get theirs.
std::vector<bool> depends_on(const ir::Graph& graph, ir::NodeId root, std::span<const ir::NodeId> wrt,
                             std::span<const ir::NodeId> boundary) {
  std::vector<bool> depends(ir::index(root) + 1, false);
  for (std::size_t i = 0; i < depends.size(); ++i) {
    const auto id = static_cast<ir::NodeId>(i);
    const ir::Node& node = graph.node(id);
    depends[i] =
        contains(wrt, id) ||
        (!contains(boundary, id) && ir::is_float(node.type.dtype) && find_vjp(node.op) != nullptr &&
         std::ranges::any_of(node.operands, [&](ir::NodeId operand) { return depends[ir::index(operand)]; }));
  }
  return depends;
}

Vjp make_vjp(ir::Formula& formula, const ir::Node& node, ir::NodeId id, ir::Term cotangent) {
  const auto operand = [&](std::size_t i) {
    return i < node.operands.size() ? formula.term(node.operands[i]) : ir::Term{};
  };
  return {.formula = formula,
          .node = node,
          .operand = 0,
          .a = operand(0),
          .b = operand(1),
          .c = operand(2),
          .y = formula.term(id),
          .dy = cotangent};
}

}  // namespace

std::vector<ir::Term> pull_back(ir::Formula& formula, ir::NodeId root, ir::Term cotangent,
                                std::span<const ir::NodeId> wrt, std::span<const ir::NodeId> boundary) {
  const std::vector<bool> depends = depends_on(formula.graph(), root, wrt, boundary);
  std::vector<ir::Term> cotangents(depends.size());
  cotangents[ir::index(root)] = cotangent;
  for (std::size_t i = depends.size(); i-- > 0 && !formula.error().has_value();) {
    const auto id = static_cast<ir::NodeId>(i);
    if (cotangents[i].formula == nullptr || contains(boundary, id)) {
      continue;
    }
    const ir::Node node = formula.graph().node(id);  // a copy: rules add nodes
    const VjpRow* row = find_vjp(node.op);
    Vjp vjp = make_vjp(formula, node, id, cotangents[i]);
    for (std::size_t k = 0; row != nullptr && k < node.operands.size() && !formula.error(); ++k) {
      const std::size_t to = ir::index(node.operands[k]);
      if (!depends[to]) {
        continue;
      }
      vjp.operand = k;
      ir::Term part = row->rule_of(k)(vjp);
      if (part.formula == nullptr) {
        continue;
      }
      part = ir::is_elementwise(node.op) ? sum_to(part, ir::Shape(vjp.at(k).shape())) : part;
      cotangents[to] = cotangents[to].formula == nullptr ? part : cotangents[to] + part;
    }
  }
  std::vector<ir::Term> result;
  for (const ir::NodeId id : wrt) {
    result.push_back(ir::index(id) < cotangents.size() ? cotangents[ir::index(id)] : ir::Term{});
  }
  return result;
}

Result<std::vector<ir::NodeId>> add_gradients(ir::Graph& graph, ir::NodeId loss,
                                              std::span<const ir::NodeId> wrt) {
  const ir::Type loss_type = graph.type(loss);
  if (!ir::is_float(loss_type.dtype) || ir::elements(loss_type.shape) != 1) {
    return fail(
        ErrorCode::BadInput, {},
        fmt::format("expected a loss of one element of a float type, found {}", describe(graph, loss)));
  }
  for (const ir::NodeId id : wrt) {
    if (!ir::is_float(graph.type(id).dtype)) {
      return fail(
          ErrorCode::BadInput, {},
          fmt::format("can differentiate with respect to float types, found {}", describe(graph, id)));
    }
  }
  ir::Formula formula(graph);
  const std::vector<ir::Term> cotangents = pull_back(formula, loss, ir::filled(formula, 1, loss_type), wrt);
  std::vector<ir::NodeId> gradients;
  for (std::size_t i = 0; i < wrt.size(); ++i) {
    const ir::Term gradient = cotangents[i].formula != nullptr
                                  ? cotangents[i]
                                  : ir::filled(formula, 0, ir::Type(graph.type(wrt[i])));
    FORETELL_ASSIGN_OR_RETURN(const ir::NodeId id, formula.finish(gradient));
    FORETELL_CHECK(graph.type(id) == graph.type(wrt[i]));
    gradients.push_back(id);
  }
  return gradients;
}

Result<ir::Graph> differentiate(const ir::Graph& graph, std::string_view loss_output,
                                std::span<const std::string> wrt_inputs) {
  ir::Graph result = graph;
  const auto loss = std::ranges::find(graph.outputs(), loss_output, &ir::Output::name);
  if (loss == graph.outputs().end()) {
    return fail(ErrorCode::BadInput, {}, fmt::format("the graph has no output '{}'", loss_output));
  }
  std::vector<ir::NodeId> wrt;
  for (const std::string& name : wrt_inputs) {
    const auto input = graph.find_input(name);
    if (!input.has_value()) {
      return fail(ErrorCode::BadInput, {}, fmt::format("the graph has no input '{}'", name));
    }
    wrt.push_back(*input);
  }
  FORETELL_ASSIGN_OR_RETURN(const std::vector<ir::NodeId> gradients, add_gradients(result, loss->node, wrt));
  for (std::size_t i = 0; i < wrt.size(); ++i) {
    FORETELL_RETURN_IF_ERROR(result.output("grad_" + wrt_inputs[i], gradients[i]));
  }
  return result;
}

}  // namespace foretell::passes
