// SPDX-License-Identifier: Apache-2.0
// A graph in the order in which it is executed: op by op, or with the passes run, fused, and the source of
// the kernels generated. Nothing is compiled yet.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fusion-engine/codegen/kernel_library.hpp"
#include "fusion-engine/ir/graph.hpp"
#include "fusion-engine/passes/fusion_plan.hpp"
#include "fusion-engine/passes/pass.hpp"
#include "fusion-engine/runtime/cpu/cpu_device.hpp"

namespace foretell::runtime::cpu {

// What preparing the variant took.
struct CompileReport {
  std::int64_t pass_ns = 0;     // pipeline and fuse
  std::int64_t codegen_ns = 0;  // lowering and printing
  codegen::KernelLibrary::Stats library;
  std::size_t kernels = 0;  // distinct; groups with equal text share one
};

struct Program {
  ir::Graph graph;  // of a fused program: after the pipeline
  passes::FusionPlan plan;
  std::vector<codegen::KernelSource>
      kernels;  // by group; named after ops and content, so equal kernels have one name
  CompileReport report;
};

// One step an op, in the order of the graph, as the eager executor takes them; no kernels.
Program build_op_program(const ir::Graph& graph);

// Passes, fuses, generates for this device (vector width, last-level cache for streaming stores). Compiles
// nothing. Errors (Usage): from the pipeline.
Result<Program> build_fused_program(const ir::Graph& graph, const CpuDevice& device,
                                    const passes::PipelineOptions& pipeline = {});

// The kernels of all programs, each once, in order of first use.
std::vector<codegen::KernelSource> distinct_kernels(std::span<const Program* const> programs);

}  // namespace foretell::runtime::cpu
