// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: any bytes as the text form of a graph. A finding is a crash, a leak, a graph that was
// read and doesn't verify, or one whose text doesn't give it back; a pass that makes such a graph, or has
// more to do when it runs again; and a plan of kernels that reads what isn't there yet, or writes what nobody
// reads.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "fusion-engine/ir/text.hpp"
#include "fusion-engine/ir/verify.hpp"
#include "fusion-engine/passes/fuse.hpp"
#include "fusion-engine/passes/pass.hpp"

namespace {

using namespace foretell;

// Larger ones only take longer.
constexpr std::size_t kMaxNodes = 2000;
constexpr std::size_t kMaxFusedNodes = 300;

void require(bool holds, const char* what, const ir::Graph& graph) {
  if (!holds) {
    std::fprintf(stderr, "%s:\n%s", what, ir::print(graph).c_str());
    std::abort();
  }
}

void check(const ir::Graph& graph) {
  require(ir::verify(graph).has_value(), "the graph doesn't verify", graph);
  const Result<ir::Graph> again = ir::parse(ir::print(graph));
  require(again.has_value() && *again == graph, "the text doesn't give the graph back", graph);
}

void check(const ir::Graph& graph, const passes::FusionPlan& plan) {
  std::vector<bool> known(graph.size(), false);
  std::vector<bool> needed(graph.size(), false);
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const ir::OpKind op = graph.nodes()[i].op;
    known[i] = op == ir::OpKind::Input || op == ir::OpKind::Constant;
  }
  const auto read = [&](ir::NodeId id) {
    require(known[ir::index(id)], "a step reads what isn't there yet", graph);
    needed[ir::index(id)] = true;
  };
  for (const passes::PlanStep& step : plan.steps) {
    if (step.kind == passes::PlanStep::Kind::Kernel) {
      const passes::FusionGroup& group = plan.groups[step.group];
      for (const passes::Operand& input : group.inputs) {
        read(input.value);
        read(input.buffer);
      }
      for (const ir::NodeId output : group.outputs) {
        known[ir::index(output)] = true;
      }
    } else {
      for (const ir::NodeId operand : graph.node(step.node).operands) {
        read(operand);
      }
      known[ir::index(step.node)] = true;
    }
  }
  for (const ir::Output& output : graph.outputs()) {
    read(output.node);
  }
  for (const passes::FusionGroup& group : plan.groups) {
    for (const ir::NodeId output : group.outputs) {
      require(needed[ir::index(output)], "a kernel writes what nobody reads", graph);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Result<ir::Graph> graph = ir::parse(text);
  if (!graph.has_value() || graph->size() > kMaxNodes) {
    return 0;
  }
  check(*graph);
  ir::Graph before = *graph;
  for (const passes::Pass& pass : passes::all_passes()) {
    const ir::Graph after = pass.run(before);
    check(after);
    require(pass.run(after) == after, "a pass has more to do the second time", before);
    before = after;
  }
  if (before.size() <= kMaxFusedNodes) {
    check(before, passes::fuse(before));
  }
  return 0;
}
