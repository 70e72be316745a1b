// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/shrink.hpp"

#include <fmt/format.h>

#include <optional>
#include <string>

#include "fusion-engine/ir/copy_nodes.hpp"

namespace foretell::tests {

namespace {

// May be read as an index: of the name's contents only zero fits everywhere (random_graph.hpp).
std::string fresh_name(const ir::Graph& graph, ir::NodeId replaced) {
  std::string name = fmt::format("{}_{}", ir::is_integer(graph.type(replaced).dtype) ? "index_1" : "value",
                                 ir::index(replaced));
  while (graph.find_input(name).has_value()) {
    name += "_";
  }
  return name;
}

// The live part of the graph with the given outputs; `replaced` becomes an input.
ir::Graph rebuild(const ir::Graph& graph, std::span<const ir::Output> outputs,
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
  const auto make = [&](ir::NodeId id, const std::vector<ir::NodeId>& operands) {
    const ir::Node& node = graph.node(id);
    return (id == replaced ? small.input(fresh_name(graph, id), node.type)
                           : small.add(node.op, operands, node.attributes))
        .value();
  };
  ir::copy_outputs(small, outputs, ir::copy_nodes(graph, live, make));
  return small;
}

// Graphs one removal away, the largest removals first.
std::vector<ir::Graph> smaller_graphs(const ir::Graph& graph) {
  std::vector<ir::Graph> result;
  const auto keep = [&](std::span<const ir::Output> outputs, std::optional<ir::NodeId> replaced) {
    result.push_back(rebuild(graph, outputs, replaced));
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
