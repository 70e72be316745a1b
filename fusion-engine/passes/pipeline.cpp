// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "fusion-engine/ir/text.hpp"
#include "fusion-engine/ir/verify.hpp"
#include "fusion-engine/passes/decompose.hpp"
#include "fusion-engine/passes/eliminate_common_subexpressions.hpp"
#include "fusion-engine/passes/eliminate_dead_code.hpp"
#include "fusion-engine/passes/pass.hpp"
#include "fusion-engine/passes/simplify.hpp"
#include "src/base/text.hpp"

namespace foretell::passes {
namespace {

// To add a pass, add its line.
constexpr std::array kPasses{
    Pass{"decompose", "composite ops become their definition", decompose},
    Pass{"simplify", "identities such as x * 1 = x, constants folded", simplify},
    Pass{"eliminate_common_subexpressions", "a + b and b + a become one", eliminate_common_subexpressions},
    Pass{"eliminate_dead_code", "nodes that no output needs are dropped", eliminate_dead_code},
};

Result<void> check_names(const std::vector<std::string>& names) {
  std::vector<std::string_view> known;
  for (const Pass& pass : kPasses) {
    known.push_back(pass.name);
  }
  for (const std::string& name : names) {
    if (std::ranges::find(known, name) == known.end()) {
      const auto meant = nearest(name, known);
      return fail(
          ErrorCode::Usage, "--disable-pass",
          fmt::format("unknown pass '{}', expected one of: {}", printable(name), fmt::join(known, ", ")),
          meant ? fmt::format("did you mean '{}'?", *meant) : std::string());
    }
  }
  return {};
}

void check_graph(const Pass& pass, const ir::Graph& graph) {
  if (const Result<void> verified = ir::verify(graph); !verified.has_value()) {
    std::fputs(fmt::format("foretell: internal error: pass {} made a graph that doesn't verify: {}: {}\n{}",
                           pass.name, verified.error().where, verified.error().message, ir::print(graph))
                   .c_str(),
               stderr);
    std::abort();
  }
}

}  // namespace

std::span<const Pass> all_passes() { return kPasses; }

Result<PipelineResult> run_pipeline(const ir::Graph& graph, const PipelineOptions& options) {
  FORETELL_RETURN_IF_ERROR(check_names(options.disabled));
  PipelineResult result{.graph = graph, .runs = {}};
  for (const Pass& pass : kPasses) {
    if (std::ranges::find(options.disabled, pass.name) != options.disabled.end()) {
      continue;
    }
    const auto begin = std::chrono::steady_clock::now();
    ir::Graph after = pass.run(result.graph);
    const std::chrono::nanoseconds duration = std::chrono::steady_clock::now() - begin;
    check_graph(pass, after);
    result.runs.push_back(
        {.pass = pass.name, .changed = !(after == result.graph), .duration_ns = duration.count()});
    result.graph = std::move(after);
    if (options.on_pass) {
      options.on_pass(pass.name, result.graph);
    }
  }
  return result;
}

}  // namespace foretell::passes
