// SPDX-License-Identifier: Apache-2.0
#include "src/bridge/memory_need.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "src/base/saturate.hpp"
#include "src/base/text.hpp"

namespace foretell::bridge {
namespace {

// Some microseconds of copying, as long as waking a worker.
constexpr std::int64_t kLeastCopyBytes = 64 << 10;

bool is_view(const ir::Node& node) { return ir::category(node.op) == ir::Category::View; }

bool is_computed(const ir::Node& node) {
  return node.op != ir::OpKind::Input && node.op != ir::OpKind::Constant && !is_view(node);
}

// The largest sum of results at one time, each from its op until the last use of it or of a view of it;
// outputs until the end.
std::int64_t peak_bytes(const ir::Graph& graph, const std::vector<bool>& live) {
  std::vector<std::size_t> memory_of(graph.size());  // the node whose result it is, or is a view of
  std::vector<std::size_t> last_use(graph.size(), 0);
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const ir::Node& node = graph.nodes()[i];
    memory_of[i] = is_view(node) ? memory_of[ir::index(node.operands.front())] : i;
    if (!live[i]) {
      continue;
    }
    last_use[i] = i;
    for (const ir::NodeId operand : node.operands) {
      last_use[memory_of[ir::index(operand)]] = i;
    }
  }
  for (const ir::Output& output : graph.outputs()) {
    last_use[memory_of[ir::index(output.node)]] = graph.size();
  }
  std::vector<std::int64_t> ending(graph.size() + 1, 0);  // bytes that are last used there
  std::int64_t held = 0;
  std::int64_t peak = 0;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    if (live[i] && is_computed(graph.nodes()[i])) {
      const std::int64_t bytes = ir::size_bytes(graph.nodes()[i].type);
      add_saturated(held, bytes);
      add_saturated(ending[last_use[i]], bytes);
      peak = std::max(peak, held);
    }
    if (held == std::numeric_limits<std::int64_t>::max()) {
      return held;  // what ends here is no longer known
    }
    held -= ending[i];
  }
  return peak;
}

}  // namespace

std::int64_t largest_tensor_bytes(const ir::Graph& graph) {
  const std::vector<bool> live = ir::live_nodes(graph);
  std::int64_t largest = 0;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    if (live[i] && !is_view(graph.nodes()[i])) {
      largest = std::max(largest, ir::size_bytes(graph.nodes()[i].type));
    }
  }
  return largest;
}

std::int64_t copy_block_bytes(const ir::Graph& graph) {
  const std::int64_t largest = largest_tensor_bytes(graph);
  return largest >= kLeastCopyBytes ? largest : 0;
}

std::int64_t needed_bytes(const ir::Graph& graph, std::size_t own_memories) {
  const std::int64_t results = peak_bytes(graph, ir::live_nodes(graph));
  std::int64_t bytes = results;
  for (std::size_t i = 0; i < own_memories; ++i) {
    add_saturated(bytes, results);
  }
  for (const ir::NodeId input : graph.inputs()) {
    add_saturated(bytes, ir::size_bytes(graph.type(input)));
  }
  for (const ir::Output& output : graph.outputs()) {
    // of the other variant: its own memory, or the state's first contents
    add_saturated(bytes, ir::size_bytes(graph.type(output.node)));
  }
  add_saturated(bytes, copy_block_bytes(graph));
  add_saturated(bytes, copy_block_bytes(graph));
  return bytes;
}

Result<void> check_memory(const ir::Graph& graph, std::size_t own_memories, std::int64_t available_bytes) {
  const std::int64_t needed = needed_bytes(graph, own_memories);
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
