// SPDX-License-Identifier: Apache-2.0
// Host bound, but not by launching: idle time of the device while the host works for long without a launch,
// or between graph replays / step.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "analyzer/checks/measure.hpp"
#include "analyzer/timeline/intervals.hpp"
#include "src/base/text.hpp"

namespace foretell::checks {
namespace {

// Idle time for host work before the first kernel of a step; median over the steady steps.
std::int64_t before_first_kernel_ns(const View& view) {
  std::vector<std::int64_t> values;
  for (std::size_t i = 0; i < view.timeline.split.steps.size(); ++i) {
    const timeline::StepSplit& step = view.timeline.split.steps[i];
    if (view.timeline.steps.all[i].warmup || view.timeline.tiles.empty()) {
      continue;
    }
    std::int64_t idle = 0;
    const auto& tiles = view.timeline.tiles.front().tiles;
    auto tile = std::ranges::upper_bound(tiles, step.begin_ns, {}, &timeline::Tile::end_ns);
    for (; tile != tiles.end() && tile->idle && tile->begin_ns < step.end_ns; ++tile) {
      if (tile->idle_class == timeline::IdleClass::Host) {
        idle += std::min(tile->end_ns, step.end_ns) - std::max(tile->begin_ns, step.begin_ns);
      }
    }
    values.push_back(idle);
  }
  return timeline::median(std::move(values));
}

Finding run(const View& view) {
  if (const auto why = unknown_step(view)) {
    return found(Verdict::Unknown, *why);
  }
  const std::int64_t idle = idle_ns(view, timeline::IdleClass::Host);
  const std::int64_t compiling = idle_ns(view, timeline::IdleClass::Compile);
  const std::int64_t before_first_kernel = before_first_kernel_ns(view);
  const double inflation = host_inflation(view);
  const auto least = static_cast<std::int64_t>(static_cast<double>(idle) / inflation);
  Finding finding;
  finding.verdict = verdict_of(view, idle);
  finding.ceiling = ceiling_of(view, idle);
  finding.evidence = {derived("host_idle_ns", static_cast<double>(idle)),
                      derived("host_idle_share", share_of_step(view, idle)),
                      derived("host_idle_before_first_kernel_ns", static_cast<double>(before_first_kernel)),
                      derived("compile_idle_ns", static_cast<double>(compiling))};
  if (inflation > 1) {
    finding.evidence.push_back(assumed("host_inflation_most", inflation));
    finding.evidence.push_back(derived("host_idle_least_ns", static_cast<double>(least)));
  }
  finding.examples = idle_examples(view, {timeline::IdleClass::Host});
  const std::string of_step =
      fmt::format("{} of the {} step ({})", format_duration(idle), format_duration(step_ns(view)),
                  format_share(share_of_step(view, idle)));
  if (idle == 0) {
    finding.reason = "the device never waits for host work other than issuing ops";
  } else if (finding.verdict == Verdict::Binds && share_of_step(view, least) < kBindsShare) {
    finding.verdict = Verdict::Unknown;
    finding.reason = fmt::format(
        "the device waits {} for host work, of which the profiler may have added most ({:.1f}x); a bare step "
        "time (--wall-ms) tells",
        of_step, inflation);
  } else {
    finding.reason = fmt::format("the device waits {} for host work without a launch", of_step);
    const Example place = finding.examples.empty() ? Example{} : finding.examples.front();
    const std::string where = ellipsize(printable(place.where), 60);
    if (before_first_kernel > idle - before_first_kernel) {
      finding.reason +=
          fmt::format(", {} of it before the first kernel of the step{} (preprocessing?)",
                      format_duration(before_first_kernel), where.empty() ? std::string() : " in " + where);
    } else if (!place.what.empty()) {
      finding.reason += fmt::format(", mostly before {}{}", ellipsize(printable(place.what), 50),
                                    where.empty() ? std::string() : fmt::format(" ({})", where));
    }
  }
  finding.reasoning = {
      "Counted is idle time before a launch that came late though its thread, or another one, was at work on "
      "something "
      "longer than issuing an op takes: preprocessing, postprocessing, bookkeeping between graph replays.",
      fmt::format("Idle meanwhile: {}. Ceiling: {:.2f}x. Graphs and fusion can't touch that time.",
                  format_duration(idle), *finding.ceiling),
  };
  return finding;
}

}  // namespace

extern const Check kHostWork;
const Check kHostWork{"host_work", "Does other host work hold the device up?",
                      "move the work off the step (a worker, the previous step) or onto the device", "host",
                      run};

}  // namespace foretell::checks
