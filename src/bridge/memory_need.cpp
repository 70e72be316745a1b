// SPDX-License-Identifier: Apache-2.0
#include "src/bridge/memory_need.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "src/base/saturate.hpp"
#include "src/base/text.hpp"

namespace foretell::bridge {

std::int64_t largest_tensor_bytes(const ir::Graph& graph) {
  std::int64_t largest = 0;
  for (const ir::Node& node : graph.nodes()) {
    largest = std::max(largest, ir::size_bytes(node.type));
  }
  return largest;
}

std::int64_t needed_bytes(const ir::Graph& graph) {
  std::int64_t bytes = 0;
  for (const ir::NodeId input : graph.inputs()) {
    add_saturated(bytes, ir::size_bytes(graph.type(input)));
  }
  for (int i = 0; i < 4; ++i) {
    add_saturated(bytes, largest_tensor_bytes(graph));
  }
  return bytes;
}

Result<void> check_memory(const ir::Graph& graph, std::int64_t available_bytes) {
  const std::int64_t needed = needed_bytes(graph);
  if (available_bytes == 0 || needed <= available_bytes) {
    return {};
  }
  return fail(ErrorCode::Environment, "run",
              fmt::format("expected about {} of memory for this workload, found {} available",
                          format_bytes(static_cast<std::uint64_t>(needed)),
                          format_bytes(static_cast<std::uint64_t>(available_bytes))),
              "choose smaller tensors");
}

}  // namespace foretell::bridge
