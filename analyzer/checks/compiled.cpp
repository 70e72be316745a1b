// SPDX-License-Identifier: Apache-2.0
// Did it compile, and how often does it leave compiled code? One code object a step is whole; each more is a
// graph break.
#include <fmt/format.h>

#include <algorithm>

#include "analyzer/checks/measure.hpp"
#include "src/base/text.hpp"

namespace foretell::checks {
namespace {

Finding run(const View& view) {
  const timeline::Recompiles& compilation = view.timeline.compilation;
  const std::int64_t regions = compilation.regions.per_step;
  const std::int64_t breaks = std::max<std::int64_t>(compilation.frames.per_step - 1, 0);
  const bool compiled = compilation.regions.total > 0 || compilation.compiler_kernels > 0;
  Finding finding;
  finding.evidence = {
      measured("compiled_regions_per_step", static_cast<double>(regions)),
      measured("code_objects_per_step", static_cast<double>(compilation.frames.per_step)),
      derived("graph_breaks_per_step", static_cast<double>(breaks)),
      measured("guard_lookups_per_step", static_cast<double>(compilation.lookups.per_step)),
      measured("guard_lookup_ns_per_step", static_cast<double>(compilation.lookup_ns.per_step)),
      measured("compiler_kernels", static_cast<double>(compilation.compiler_kernels)),
      measured("compiler_kernel_share", compilation.compiler_kernel_share),
  };
  for (const timeline::CompileName& row : compilation.names) {
    if (row.kind == profile::CompileKind::CompiledRegion && finding.examples.size() < kMostExamples) {
      finding.examples.push_back({.what = std::string(view.profile.text(row.name)),
                                  .where = {},
                                  .id = {},
                                  .count = static_cast<std::uint64_t>(row.count.total),
                                  .time_ns = 0});
    }
  }
  finding.reasoning = {
      "Compiled code shows as compiled regions on the host and as kernels that a compiler made. Regions "
      "carry the number "
      "of their code object; every one beyond the first of a step means that the program left compiled code "
      "in between: "
      "a graph break. Backward regions go with their forward ones. Without numbers breaks can't be told from "
      "repeated "
      "calls.",
      "What a break costs is the idle time around it, which the other checks count.",
  };
  const std::string kernels =
      compilation.compiler_kernels == 0
          ? std::string("no kernel is a compiler's")
          : fmt::format("{} of kernels are a compiler's", format_share(compilation.compiler_kernel_share));
  if (view.timeline.facts.cpu_ops == 0 && !compiled) {
    finding.verdict = Verdict::Unknown;
    finding.reason = "no host ops are recorded, so compiled regions can't be seen";
  } else if (!compiled) {
    finding.verdict = Verdict::Clear;
    finding.reason = "nothing is compiled: every op runs eagerly";
  } else if (breaks > 0) {
    // they matter as far as the device waits for the host around them
    const std::int64_t idle = idle_ns(view, timeline::IdleClass::Launch) +
                              idle_ns(view, timeline::IdleClass::Host) +
                              idle_ns(view, timeline::IdleClass::Sync);
    finding.reason = fmt::format("compiled, but in {} a step: {} a step; {}",
                                 format_counted(static_cast<std::uint64_t>(breaks) + 1, "piece"),
                                 format_counted(static_cast<std::uint64_t>(breaks), "graph break"), kernels);
    if (const auto why = unknown_step(view)) {
      finding.verdict = Verdict::Unknown;
      finding.reason += "; what they cost can't be told: " + *why;
    } else if (verdict_of(view, idle) == Verdict::Binds &&
               verdict_of(view, bare_idle_ns(view, idle)) == Verdict::Clear) {
      finding.verdict = Verdict::Unknown;
      finding.reason +=
          "; the profiler may have added the idle time around them; a bare step time (--wall-ms) tells";
    } else {
      finding.verdict = verdict_of(view, idle);
      finding.reason += fmt::format("; the device waits {} of the {} step for the host",
                                    format_duration(idle), format_duration(step_ns(view)));
    }
  } else {
    finding.verdict = Verdict::Clear;
    finding.reason =
        regions > 0                     ? fmt::format("compiled: {} a step{}; {}",
                                                      format_counted(static_cast<std::uint64_t>(regions), "compiled region"),
                                  regions > 1 && compilation.frames.total == 0
                                                          ? ", whose names do not tell graph breaks from repeated calls"
                                                          : "",
                                                      kernels)
        : compilation.regions.total > 0 ? "compiled, but no steady step enters a compiled region; " + kernels
                                        : "compiled: " + kernels + "; compiled regions are not recorded";
  }
  return finding;
}

}  // namespace

extern const Check kCompiled;
const Check kCompiled{
    "compiled", "Did it compile?",
    "TORCH_LOGS=graph_breaks names each break and its line; torch.compile(fullgraph=True) refuses them", "",
    run};

}  // namespace foretell::checks
