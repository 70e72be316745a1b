// SPDX-License-Identifier: Apache-2.0
// The way of everything that makes one graph of another: node by node in the order of the old one, then the
// outputs.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fusion-engine/ir/graph.hpp"
#include "src/base/check.hpp"

namespace foretell::ir {

// What each node of `from` became in `into`, by its id. `make(id, operands)` adds what the node becomes and
// gives that one's id; `operands` are what the node's became. Nodes that `wanted` doesn't name are left out;
// the operands of those it names are named too, or `make` doesn't look at them.
template <class Make>
std::vector<NodeId> copy_nodes(const Graph& from, const std::vector<bool>& wanted, Make make) {
  std::vector<NodeId> became(from.size());
  std::vector<NodeId> operands;
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (!wanted[i]) {
      continue;
    }
    operands.clear();
    for (const NodeId operand : from.nodes()[i].operands) {
      operands.push_back(became[index(operand)]);
    }
    became[i] = make(static_cast<NodeId>(i), operands);
  }
  return became;
}

// Outputs of the old graph, their names with `prefix` in front. They fit what their nodes became.
inline void copy_outputs(Graph& into, std::span<const Output> outputs, const std::vector<NodeId>& became,
                         const std::string& prefix = {}) {
  for (const Output& output : outputs) {
    const auto state = output.state_of ? std::optional(became[index(*output.state_of)]) : std::nullopt;
    FORETELL_CHECK(into.output(prefix + output.name, became[index(output.node)], state).has_value());
  }
}

}  // namespace foretell::ir
