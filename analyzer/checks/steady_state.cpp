// SPDX-License-Identifier: Apache-2.0
// Is this steady state: enough steps, none of them an outlier, no warm-up among them.
#include <fmt/format.h>

#include <algorithm>

#include "analyzer/checks/measure.hpp"
#include "src/base/saturate.hpp"
#include "src/base/text.hpp"

namespace foretell::checks {
namespace {

using timeline::Step;

constexpr std::uint64_t kFewestSteps = 3;  // of fewer steps no spread can be given
// A step beyond this many times the median is no variation: noise of step times is some per cent.
constexpr double kOutlier = 1.5;

// What the odd steps idle for beyond the typical one: "; they idle 1.30 s more (host)".
std::string outliers_idle(const View& view) {
  const timeline::Steps& steps = view.timeline.steps;
  timeline::IdleTimes more{};
  std::int64_t all = 0;
  for (std::size_t i = 0; i < view.timeline.split.steps.size() && view.timeline.split.known; ++i) {
    if (steps.all[i].warmup ||
        static_cast<double>(steps.all[i].step_ns) <= kOutlier * static_cast<double>(steps.step_ns)) {
      continue;
    }
    for (std::size_t k = 0; k < more.size(); ++k) {
      const std::int64_t extra =
          std::max<std::int64_t>(view.timeline.split.steps[i].idle_ns[k] - view.timeline.split.idle_ns[k], 0);
      add_saturated(more[k], extra);
      add_saturated(all, extra);
    }
  }
  const auto most = std::ranges::max_element(more);
  return all == 0 ? std::string()
                  : fmt::format("; in all they idle {} longer, mostly in class {}", format_duration(all),
                                timeline::to_string(static_cast<timeline::IdleClass>(most - more.begin())));
}

Finding run(const View& view) {
  const timeline::Steps& steps = view.timeline.steps;
  std::vector<const Step*> outliers;
  double sum = 0;
  std::int64_t longest = 0;
  std::int64_t shortest = INT64_MAX;
  std::uint64_t warmup = 0;
  for (const Step& step : steps.all) {
    if (step.warmup) {
      ++warmup;
      continue;
    }
    sum += static_cast<double>(step.step_ns);
    longest = std::max(longest, step.step_ns);
    shortest = std::min(shortest, step.step_ns);
    if (static_cast<double>(step.step_ns) > kOutlier * static_cast<double>(steps.step_ns)) {
      outliers.push_back(&step);
    }
  }
  const double mean = steps.steady > 0 ? sum / static_cast<double>(steps.steady) : 0;
  Finding finding;
  finding.evidence = {
      measured("steady_steps", static_cast<double>(steps.steady)),
      measured("warmup_steps", static_cast<double>(warmup)),
      measured("step_median_ns", static_cast<double>(steps.step_ns)),
      measured("step_mean_ns", mean),
      measured("step_shortest_ns", static_cast<double>(steps.steady > 0 ? shortest : 0)),
      measured("step_longest_ns", static_cast<double>(longest)),
      measured("outlier_steps", static_cast<double>(outliers.size())),
  };
  std::ranges::stable_sort(outliers, std::ranges::greater{}, &Step::step_ns);
  for (const Step* step : outliers) {
    if (finding.examples.size() < kMostExamples) {
      finding.examples.push_back(
          {.what = step->name, .where = {}, .id = {}, .count = 1, .time_ns = step->step_ns});
    }
  }
  const std::string odd_idle = outliers_idle(view);
  finding.reasoning = {
      fmt::format("Leading steps that stand out from those behind them are warm-up and left out ({} here); "
                  "of the others "
                  "the median counts, never the mean.",
                  warmup),
      fmt::format("Median {}, mean {}, from {} to {}; {} above {} times the median.",
                  format_duration(steps.step_ns), format_duration(static_cast<std::int64_t>(mean)),
                  format_duration(steps.steady > 0 ? shortest : 0), format_duration(longest),
                  format_counted(outliers.size(), "step"), kOutlier),
  };
  if (steps.steady == 0) {
    return found(Verdict::Unknown, "the trace holds no step");
  }
  if (!view.timeline.integrity.step_doubt.empty()) {
    finding.verdict = Verdict::Binds;
    finding.reason = view.timeline.integrity.step_doubt;
  } else if (steps.steady < kFewestSteps) {
    finding.verdict = Verdict::Unknown;
    finding.reason = fmt::format("{}: too few to tell a typical step from an odd one",
                                 format_counted(steps.steady, "step"));
  } else if (!outliers.empty()) {
    finding.verdict = Verdict::Binds;
    finding.reason = fmt::format(
        "{} of {} {} more than {} times the median of {}: mean {} against median {}, so the "
        "mean misleads{}",
        outliers.size(), format_counted(steps.steady, "step"), outliers.size() == 1 ? "takes" : "take",
        kOutlier, format_duration(steps.step_ns), format_duration(static_cast<std::int64_t>(mean)),
        format_duration(steps.step_ns), odd_idle);
  } else {
    finding.verdict = Verdict::Clear;
    finding.reason = fmt::format(
        "{} of {} to {}{}", format_counted(steps.steady, "steady step"), format_duration(shortest),
        format_duration(longest),
        warmup > 0 ? fmt::format(", {} left out", format_counted(warmup, "warm-up step")) : std::string());
  }
  return finding;
}

}  // namespace

extern const Check kSteadyState;
const Check kSteadyState{"steady_state", "Is this steady state?",
                         "record after warm-up: torch.profiler.schedule(wait=5, warmup=3, active=5)", "",
                         run};

}  // namespace foretell::checks
