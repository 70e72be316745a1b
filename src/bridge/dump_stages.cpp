// SPDX-License-Identifier: Apache-2.0
#include "src/bridge/dump_stages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "fusion-engine/ir/text.hpp"
#include "fusion-engine/passes/pass.hpp"
#include "fusion-engine/runtime/cpu/program.hpp"
#include "src/base/names.hpp"

namespace foretell::bridge {
namespace {

constexpr std::array<std::string_view, 3> kStages{"ir", "passes", "cpp"};

std::string print_plan(const runtime::cpu::Program& program) {
  std::string text = "# fusion plan\n";
  for (const passes::PlanStep& step : program.plan.steps) {
    if (step.kind != passes::PlanStep::Kind::Kernel) {
      text += fmt::format("{} %{} {}\n", step.kind == passes::PlanStep::Kind::View ? "view" : "op",
                          ir::index(step.node), ir::to_string(program.graph.node(step.node).op));
      continue;
    }
    const passes::FusionGroup& group = program.plan.groups[step.group];
    text += fmt::format("kernel over {}{}\n", ir::to_string(group.space),
                        group.reduced_axes.empty()
                            ? std::string()
                            : fmt::format(", reduced over axes {}", fmt::join(group.reduced_axes, ",")));
    for (const ir::NodeId node : group.nodes) {
      text += fmt::format("  %{} {}\n", ir::index(node), ir::to_string(program.graph.node(node).op));
    }
  }
  return text;
}

}  // namespace

std::span<const std::string_view> all_stages() { return kStages; }

Result<void> check_stages(std::span<const std::string> stages) {
  for (const std::string& stage : stages) {
    FORETELL_RETURN_IF_ERROR(check_name("--dump", "stage", stage, kStages));
  }
  return {};
}

Result<std::string> dump_stages(const ir::Graph& graph, const runtime::cpu::CpuDevice& device,
                                std::span<const std::string> stages) {
  FORETELL_RETURN_IF_ERROR(check_stages(stages));
  const auto wanted = [&](std::string_view stage) {
    return std::ranges::find(stages, stage) != stages.end();
  };
  std::string text;
  if (wanted("ir")) {
    text += "# ir\n" + ir::print(graph);
  }
  if (!wanted("passes") && !wanted("cpp")) {
    return text;
  }
  std::string after_passes;
  ir::Graph before = graph;
  passes::PipelineOptions pipeline;
  pipeline.on_pass = [&](std::string_view pass, const ir::Graph& after) {
    const bool changed = !(after == before);
    after_passes += fmt::format("# after {}{}\n{}", pass, changed ? "" : " (unchanged)",
                                changed ? ir::print(after) : std::string());
    before = after;
  };
  FORETELL_ASSIGN_OR_RETURN(const auto program, runtime::cpu::build_fused_program(graph, device, pipeline));
  if (wanted("passes")) {
    text += after_passes + print_plan(program);
  }
  if (wanted("cpp")) {
    text += "// cpp, behind the vector types and functions of fusion-engine/codegen/simd\n";
    const runtime::cpu::Program* const programs[] = {&program};
    for (const codegen::KernelSource& kernel : runtime::cpu::distinct_kernels(programs)) {
      text += kernel.text;
    }
  }
  return text;
}

}  // namespace foretell::bridge
