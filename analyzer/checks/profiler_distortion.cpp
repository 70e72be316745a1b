// SPDX-License-Identifier: Apache-2.0
// How much of the step is the profiler's own doing?
#include <fmt/format.h>

#include "analyzer/checks/measure.hpp"
#include "src/base/text.hpp"

namespace foretell::checks {
namespace {

Finding run(const View& view) {
  const timeline::Timeline& t = view.timeline;
  const timeline::RecordedExtras extras = timeline::recorded_extras(view.profile);
  const std::int64_t own = t.split.known ? idle_ns(view, timeline::IdleClass::Profiler) : 0;
  Finding finding;
  finding.evidence = {
      measured("stacks_recorded", extras.stacks ? 1 : 0),
      measured("shapes_recorded", extras.shapes ? 1 : 0),
      measured("profiler_rows_ns", static_cast<double>(t.ops.overhead_ns)),
      derived("profiler_idle_ns", static_cast<double>(own)),
  };
  finding.reasoning = {
      "Recording an op costs the host several microseconds, stacks and shapes multiples of that; the device "
      "is not slowed "
      "down. A traced step is 1.3 to 1.8 times the bare one where the host is the limit.",
  };
  if (view.wall_ns && t.split.wall_below_busy) {
    finding.verdict = Verdict::Unknown;
    finding.reason =
        fmt::format("the bare time given ({}) is less than the device's work ({}): it can't be used",
                    format_duration(*view.wall_ns), format_duration(t.split.busy_ns));
  } else if (view.wall_ns && t.split.wall_above_step) {
    finding.verdict = Verdict::Unknown;
    finding.reason =
        fmt::format("the bare time given ({}) is more than the traced step ({}): it is not that of this step",
                    format_duration(*view.wall_ns), format_duration(t.split.step_ns));
  } else if (view.wall_ns) {
    const double ratio =
        static_cast<double>(t.steps.step_ns) / static_cast<double>(std::max<std::int64_t>(*view.wall_ns, 1));
    finding.verdict = ratio >= 1 / (1 - kBindsShare) ? Verdict::Binds : Verdict::Clear;
    finding.evidence.push_back(derived("distortion_ns", static_cast<double>(t.split.distortion_ns)));
    finding.evidence.push_back(derived("traced_over_bare_ratio", ratio));
    finding.reason =
        ratio > 1
            ? fmt::format("traced {}, bare {}: the profiler made the step {:.2f}x as long; {} taken out",
                          format_duration(t.steps.step_ns), format_duration(*view.wall_ns), ratio,
                          format_duration(t.split.distortion_ns))
            : fmt::format("traced {}, bare {}: the profiler did not make the step longer",
                          format_duration(t.steps.step_ns), format_duration(*view.wall_ns));
  } else if (extras.any()) {
    const double inflation = host_inflation(view);
    finding.verdict = Verdict::Unknown;
    finding.reason =
        fmt::format("recorded with {}: host times are {}too long, and no bare step time is given (--wall-ms)",
                    extras.names(), inflation > 1 ? fmt::format("up to {:.1f}x ", inflation) : std::string());
  } else {
    finding.verdict = Verdict::Clear;
    finding.reason = "recorded without stacks and shapes: host times are little inflated";
  }
  return finding;
}

}  // namespace

extern const Check kProfilerDistortion;
const Check kProfilerDistortion{
    "profiler_distortion", "Does the profiler distort the step?",
    "time the step without the profiler and give it as --wall-ms; record stacks and shapes in "
    "a run of their own",
    "", run};

}  // namespace foretell::checks
