// SPDX-License-Identifier: Apache-2.0
// Does it recompile: host time of compilations inside steady steps / those steps.
#include <fmt/format.h>

#include <algorithm>

#include "analyzer/checks/measure.hpp"
#include "src/base/saturate.hpp"
#include "src/base/text.hpp"

namespace foretell::checks {
namespace {

std::int64_t steady_ns(const timeline::Steps& steps) {
  std::int64_t sum = 0;
  for (const timeline::Step& step : steps.all) {
    add_saturated(sum, step.warmup ? 0 : step.step_ns);
  }
  return sum;
}

std::int64_t idle_in_steady_steps_ns(const View& view) {
  std::int64_t idle = 0;
  for (std::size_t i = 0; i < view.timeline.split.steps.size(); ++i) {
    for (const std::int64_t ns : view.timeline.split.steps[i].idle_ns) {
      add_saturated(idle, view.timeline.steps.all[i].warmup ? 0 : ns);
    }
  }
  return idle;
}

Finding run(const View& view) {
  const timeline::Recompiles& compilation = view.timeline.compilation;
  Finding finding;
  finding.evidence = {
      measured("compilations_in_steady_steps", static_cast<double>(compilation.compilations.steady)),
      measured("compile_ns_in_steady_steps", static_cast<double>(compilation.compile_ns.steady)),
      measured("compilations", static_cast<double>(compilation.compilations.total)),
      measured("shape_sets", static_cast<double>(compilation.shape_sets)),
  };
  for (const StringId op : compilation.varying_ops) {
    if (finding.examples.size() < kMostExamples) {
      finding.examples.push_back({.what = std::string(view.profile.text(op)),
                                  .where = "input shapes vary",
                                  .id = {},
                                  .count = 1,
                                  .time_ns = 0});
    }
  }
  const std::uint64_t steps = view.timeline.steps.steady;
  const bool vary = !compilation.varying_ops.empty();
  const std::string shapes =
      !compilation.shapes_recorded ? "input shapes are not recorded"
      : vary
          ? fmt::format("{} over {}",
                        format_counted(compilation.shape_sets, "set of input shapes", "sets of input shapes"),
                        format_counted(steps, "steady step"))
          : "input shapes do not vary";
  finding.reasoning = {
      "Compilations inside steady steps are recompiles: a guard failed, mostly for a shape not seen before. "
      "Compilations "
      "of the warm-up are not counted.",
      fmt::format("{} lie inside {}; {}.",
                  format_counted(static_cast<std::uint64_t>(compilation.compilations.steady), "compilation"),
                  format_counted(steps, "steady step"), shapes),
  };
  if (compilation.compilations.steady > 0) {
    // over all steady steps: a step that compiles is no typical one
    const std::int64_t all_ns = steady_ns(view.timeline.steps);
    // threads may compile at one time; no more can be lost than the device was idle
    const std::int64_t lost_ns = std::min(compilation.compile_ns.steady, idle_in_steady_steps_ns(view));
    const std::int64_t left_ns = std::max<std::int64_t>(all_ns - lost_ns, 1);
    if (const auto why = unknown_step(view)) {
      return found(Verdict::Unknown, *why);
    }
    finding.ceiling = std::max(static_cast<double>(all_ns) / static_cast<double>(left_ns), 1.0);
    finding.verdict = static_cast<double>(all_ns - left_ns) >= kBindsShare * static_cast<double>(all_ns)
                          ? Verdict::Binds
                          : Verdict::Clear;
    if (!vary) {
      finding.remedy = "TORCH_LOGS=recompiles names the guard that failed; record after the warm-up";
    }
    finding.reason = fmt::format(
        "{} inside {}, {} of host time; {}",
        format_counted(static_cast<std::uint64_t>(compilation.compilations.steady), "compilation"),
        format_counted(steps, "steady step"), format_duration(compilation.compile_ns.steady), shapes);
  } else if (view.timeline.facts.cpu_ops == 0) {
    finding.verdict = Verdict::Unknown;
    finding.reason = "no host ops are recorded, so compilations can't be seen";
  } else {
    finding.verdict = Verdict::Clear;
    finding.reason = fmt::format("no compilation in a steady step; {}{}", shapes,
                                 vary ? ": a compiler would need dynamic shapes or compile anew" : "");
  }
  return finding;
}

}  // namespace

extern const Check kRecompiles;
const Check kRecompiles{
    "recompiles", "Does it recompile?",
    "TORCH_LOGS=recompiles names the guard that failed; pad to fixed shapes, or mark them dynamic "
    "(torch._dynamo.mark_dynamic)",
    "host", run};

}  // namespace foretell::checks
