// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/runtime/cpu/program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string_view>
#include <unordered_map>

#include "fusion-engine/codegen/content_hash.hpp"
#include "fusion-engine/codegen/generate.hpp"
#include "fusion-engine/passes/fuse.hpp"
#include "fusion-engine/passes/views.hpp"
#include "fusion-engine/runtime/cpu/kernel.hpp"

namespace foretell::runtime::cpu {
namespace {

using Clock = std::chrono::steady_clock;
std::int64_t nanoseconds(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(to - from).count();
}

// "fused_exp_sum_div_0123456789abcdef": the first ops for the reader, the hash of the text (under a fixed
// name) so that equal kernels of any number of programs are one.
std::string content_name(const ir::Graph& graph, const passes::FusionGroup& group, std::string_view text) {
  constexpr std::size_t kOpsNamed = 4;
  std::string name = "fused";
  std::vector<std::string_view> ops;
  for (const ir::NodeId id : group.nodes) {
    const std::string_view op = ir::to_string(graph.node(id).op);
    if (ops.size() < kOpsNamed && graph.node(id).op != ir::OpKind::Constant &&
        std::ranges::find(ops, op) == ops.end()) {
      ops.push_back(op);
      name += fmt::format("_{}", op);
    }
  }
  return name + fmt::format("_{:016x}", codegen::content_hash(text).high);
}

}  // namespace

Program build_op_program(const ir::Graph& graph) {
  Program program{.graph = graph};
  const std::vector<bool> live = ir::live_nodes(graph);
  const std::vector<passes::Operand> readings = passes::resolve_views(graph);
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const auto id = static_cast<ir::NodeId>(i);
    const ir::OpKind op = graph.node(id).op;
    if (live[i] && op != ir::OpKind::Input && op != ir::OpKind::Constant) {
      const bool is_reading = readings[i].buffer != id;
      program.plan.steps.push_back(
          {.kind = is_reading ? passes::PlanStep::Kind::View : passes::PlanStep::Kind::Op, .node = id});
    }
  }
  return program;
}

Result<Program> build_fused_program(const ir::Graph& graph, const CpuDevice& device,
                                    const passes::PipelineOptions& pipeline) {
  const auto start = Clock::now();
  FORETELL_ASSIGN_OR_RETURN(passes::PipelineResult passed, passes::run_pipeline(graph, pipeline));
  Program program{.graph = std::move(passed.graph)};
  program.plan = passes::fuse(program.graph, {.private_cache_bytes = device.caches.l2_bytes});
  const auto fused = Clock::now();

  const codegen::CodegenOptions options{.vector_bytes = kernel_vector_bytes(),
                                        .streaming_bytes = device.streaming_bytes};
  for (const passes::FusionGroup& group : program.plan.groups) {
    const std::string text = codegen::generate_kernel(program.graph, group, "fused", options).text;
    program.kernels.push_back(
        codegen::generate_kernel(program.graph, group, content_name(program.graph, group, text), options));
  }
  const Program* const self = &program;
  const std::vector<codegen::KernelSource> distinct = distinct_kernels(std::span(&self, 1));
  program.report = {.pass_ns = nanoseconds(start, fused),
                    .codegen_ns = nanoseconds(fused, Clock::now()),
                    .library = {},
                    .kernels = distinct.size()};
  return program;
}

std::vector<codegen::KernelSource> distinct_kernels(std::span<const Program* const> programs) {
  std::vector<codegen::KernelSource> distinct;
  std::unordered_map<std::string_view, std::string_view> text_of;
  for (const Program* program : programs) {
    for (const codegen::KernelSource& kernel : program->kernels) {
      const auto [known, is_new] = text_of.emplace(kernel.name, kernel.text);
      FORETELL_CHECK(known->second == kernel.text);  // 64 bits of hash: 2^-64 a pair
      if (is_new) {
        distinct.push_back(kernel);
      }
    }
  }
  return distinct;
}

}  // namespace foretell::runtime::cpu
