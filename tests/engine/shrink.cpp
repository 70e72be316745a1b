// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/shrink.hpp"

#include <fmt/format.h>

#include <optional>

namespace foretell::tests {

namespace {

// The live part of the graph with the given outputs; `replaced` becomes an input.
std::optional<ir::Graph> rebuild(const ir::Graph& graph, std::span<const ir::Output> outputs,
                                 std::optional<ir::NodeId> replaced) {
  std::vector<bool> live(graph.size(), false);
  for (const ir::Output& output : outputs) {
    live[ir::index(output.node)] = true;
    if (output.state_of.has_value()) {
      live[ir::index(*output.state_of)] = true;
    }
  }
  for (std::size_t i = graph.size(); i-- > 0;) {
    for (const ir::NodeId operand : graph.nodes()[i].operands) {
      if (live[i] && replaced != static_cast<ir::NodeId>(i)) {
        live[ir::index(operand)] = true;
      }
    }
  }
  ir::Graph small(graph.name());
  std::vector<ir::NodeId> mapped(graph.size());
  for (std::size_t i = 0; i < graph.size(); ++i) {
    if (!live[i]) {
      continue;
    }
    const ir::Node& node = graph.nodes()[i];
    Result<ir::NodeId> id = fail(ErrorCode::BadInput, "", "not made yet");
    if (replaced == static_cast<ir::NodeId>(i)) {
      // May be read as an index: of the name's contents only zero fits everywhere (random_graph.hpp).
      id = small.input(fmt::format("{}_{}", ir::is_integer(node.type.dtype) ? "index_1" : "value", i),
                       node.type);
    } else if (node.op == ir::OpKind::Input) {
      id = small.input(node.attributes.text(ir::AttrKey::Name), node.type);
    } else {
      std::vector<ir::NodeId> operands;
      for (const ir::NodeId operand : node.operands) {
        operands.push_back(mapped[ir::index(operand)]);
      }
      id = small.add(node.op, operands, node.attributes);
    }
    if (!id.has_value()) {
      return std::nullopt;
    }
    mapped[i] = *id;
  }
  for (const ir::Output& output : outputs) {
    std::optional<ir::NodeId> state;
    if (output.state_of.has_value()) {
      state = mapped[ir::index(*output.state_of)];
    }
    if (!small.output(output.name, mapped[ir::index(output.node)], state).has_value()) {
      return std::nullopt;
    }
  }
  return small;
}

// Graphs one removal away, the largest removals first.
std::vector<ir::Graph> smaller_graphs(const ir::Graph& graph) {
  std::vector<ir::Graph> result;
  const auto keep = [&](std::span<const ir::Output> outputs, std::optional<ir::NodeId> replaced) {
    if (std::optional<ir::Graph> small = rebuild(graph, outputs, replaced)) {
      result.push_back(*std::move(small));
    }
  };
  const std::vector<ir::Output> all(graph.outputs().begin(), graph.outputs().end());
  for (std::size_t i = 0; all.size() > 1 && i < all.size(); ++i) {
    std::vector<ir::Output> fewer = all;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    keep(fewer, std::nullopt);
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (const ir::NodeId operand : graph.node(all[i].node).operands) {
      std::vector<ir::Output> earlier = all;
      earlier[i] = {.name = all[i].name, .node = operand, .state_of = std::nullopt};
      keep(earlier, std::nullopt);
    }
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::vector<ir::Output> stateless = all;
    if (stateless[i].state_of.has_value()) {
      stateless[i].state_of.reset();
      keep(stateless, std::nullopt);
    }
  }
  for (std::size_t i = graph.size(); i-- > 0;) {
    const ir::Node& node = graph.nodes()[i];
    if (node.op != ir::OpKind::Input && node.op != ir::OpKind::Constant) {
      keep(all, static_cast<ir::NodeId>(i));
    }
  }
  return result;
}

}  // namespace

ir::Graph shrink(const ir::Graph& graph, const std::function<bool(const ir::Graph&)>& fails, int max_tries) {
  ir::Graph smallest = graph;
  bool progress = true;
  while (progress) {
    progress = false;
    for (const ir::Graph& candidate : smaller_graphs(smallest)) {
      if (max_tries-- <= 0) {
        return smallest;
      }
      if (fails(candidate)) {
        smallest = candidate;
        progress = true;
        break;
      }
    }
  }
  return smallest;
}

}  // namespace foretell::tests
