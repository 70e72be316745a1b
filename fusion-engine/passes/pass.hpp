// SPDX-License-Identifier: Apache-2.0
// A pass rewrites a graph into one that computes the same outputs. The list of passes is pipeline.cpp.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fusion-engine/ir/graph.hpp"
#include "src/base/result.hpp"

namespace foretell::passes {

struct Pass {
  std::string_view name;   // as --dump and --disable-pass write it
  std::string_view title;  // the rewrite in one line
  ir::Graph (*run)(const ir::Graph& graph);
};

// In order of running: decompose, simplify, eliminate_common_subexpressions, eliminate_dead_code.
std::span<const Pass> all_passes();

struct PassRun {
  std::string_view pass;
  bool changed = false;
  std::int64_t duration_ns = 0;
};
struct PipelineOptions {
  std::vector<std::string> disabled;  // names of passes
  std::function<void(std::string_view pass, const ir::Graph& after)>
      on_pass;  // for --dump=passes; may be empty
};
struct PipelineResult {
  ir::Graph graph;
  std::vector<PassRun> runs;
};
// Runs the passes, verifies after each (a graph that fails is our bug: aborts). Errors (Usage): an unknown
// name.
Result<PipelineResult> run_pipeline(const ir::Graph& graph, const PipelineOptions& options = {});

}  // namespace foretell::passes
