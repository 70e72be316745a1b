// SPDX-License-Identifier: Apache-2.0
#include "analyzer/timeline/steps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <tuple>
#include <unordered_set>

#include "analyzer/timeline/intervals.hpp"
#include "analyzer/timeline/kernel_period.hpp"
#include "analyzer/timeline/user_ranges.hpp"
#include "src/base/saturate.hpp"
#include "src/base/text.hpp"

namespace foretell::timeline {
namespace {

using namespace profile;

std::vector<Step> profiler_steps(const Profile& profile, std::uint64_t& overlapping) {
  std::vector<Step> steps;
  std::unordered_set<StringId> seen;
  for (std::size_t row = 0; row < profile.step_markers.size(); ++row) {
    if (seen.insert(profile.step_markers.name[row]).second) {
      steps.push_back({.name = std::string(profile.text(profile.step_markers.name[row])),
                       .start_ns = profile.step_markers.start_ns[row],
                       .duration_ns = std::max<std::int64_t>(profile.step_markers.duration_ns[row], 0)});
    }
  }
  std::ranges::stable_sort(steps, {}, &Step::start_ns);
  for (std::size_t i = 0; i + 1 < steps.size(); ++i) {
    const std::int64_t until_next = steps[i + 1].start_ns - steps[i].start_ns;
    overlapping += steps[i].duration_ns > until_next ? 1 : 0;
    steps[i].duration_ns = std::min(steps[i].duration_ns, until_next);
  }
  return steps;
}

// Linear interpolation between order statistics; `sorted` is not empty.
double quantile(const std::vector<std::int64_t>& sorted, double q) {
  const double at = q * static_cast<double>(sorted.size() - 1);
  const auto low = static_cast<std::size_t>(at);
  const std::size_t high = std::min(low + 1, sorted.size() - 1);
  const double fraction = at - static_cast<double>(low);
  return static_cast<double>(sorted[low]) * (1 - fraction) + static_cast<double>(sorted[high]) * fraction;
}

// The most leading steps that all stand out from those behind them. Looking at the most first: one warm-up
// step among the later ones would hide another.
void mark_warmup(const Profile& profile, std::vector<Step>& steps) {
  constexpr std::size_t kFewest = 3;  // quartiles of fewer steps say nothing
  constexpr std::size_t kMost = 32;   // what goes on for longer is no warm-up; bounds the work, too
  std::vector<bool> compiles(steps.size() + 1, false);  // the last: outside of steps
  for (std::size_t row = 0; row < profile.compile_events.size(); ++row) {
    if (profile.compile_events.kind[row] == CompileKind::Compilation) {
      compiles[step_at(steps, profile.compile_events.start_ns[row])] = true;
    }
  }
  for (std::size_t count = std::min(kMost, steps.size() / 2); count > 0; --count) {
    std::vector<std::int64_t> later;
    for (std::size_t i = count; i < steps.size(); ++i) {
      later.push_back(steps[i].step_ns);
    }
    std::ranges::sort(later);
    const double third = quantile(later, 0.75);
    const double fence = third + 1.5 * (third - quantile(later, 0.25));
    const auto leading = std::span(steps).first(count);
    const bool stand_out = std::ranges::all_of(leading, [&](const Step& step) {
      return (later.size() >= kFewest && static_cast<double>(step.step_ns) > fence) ||
             compiles[static_cast<std::size_t>(&step - steps.data())];
    });
    if (stand_out) {
      std::ranges::for_each(leading, [](Step& step) { step.warmup = true; });
      return;
    }
  }
}

// Index of the step whose stretch of the device's axis holds `time_ns`, or steps.size().
std::size_t step_on_device(const std::vector<Step>& steps, std::int64_t time_ns) {
  const auto behind = std::ranges::upper_bound(steps, time_ns, {}, &Step::start_ns);
  if (behind == steps.begin() || time_ns >= std::prev(behind)->start_ns + std::prev(behind)->duration_ns) {
    return steps.size();
  }
  return static_cast<std::size_t>(behind - steps.begin()) - 1;
}

// Steps found among the kernels: from the launch of a step's first kernel to that kernel.
void measure_leads(const Profile& profile, const Links& links, Steps& steps) {
  std::vector<std::int64_t> issued(steps.all.size(), INT64_MAX);
  for (std::uint32_t row = 0; row < profile.activities.size(); ++row) {
    const std::uint32_t call = links.call_of_activity[row];
    if (call == kNoRow || !profile.activities.timed[row] ||
        profile.activities.kind[row] == ActivityKind::Sync) {
      continue;
    }
    const std::size_t step = step_on_device(steps.all, profile.activities.start_ns[row]);
    if (step < issued.size()) {
      issued[step] = std::min(issued[step], profile.api_calls.start_ns[call]);
    }
  }
  std::int64_t before = INT64_MIN;  // steps are issued in order
  for (std::size_t i = 0; i < issued.size(); ++i) {
    Step& step = steps.all[i];
    step.lead_ns = issued[i] == INT64_MAX ? 0 : step.start_ns - issued[i];
    step.lead_ns = before == INT64_MIN ? step.lead_ns : std::min(step.lead_ns, step.start_ns - before);
    before = step.start_ns - step.lead_ns;
  }
}

void measure(const Profile& profile, const Links& links, const DurationAudit& audit, Steps& steps) {
  const DeviceActivities& activities = profile.activities;
  struct Work {
    std::size_t step;
    std::uint32_t device;
    Interval interval;
  };
  std::vector<Work> work;
  std::unordered_set<std::uint32_t> active;
  const bool by_device_time = steps.kind == StepKind::KernelSequence;
  if (by_device_time) {
    measure_leads(profile, links, steps);
  }
  std::uint64_t kernels = 0;
  std::uint64_t placed = 0;
  std::vector<bool> counted(profile.api_calls.size(), false);
  for (std::uint32_t row = 0; row < activities.size(); ++row) {
    if (!activities.timed[row] || activities.kind[row] == ActivityKind::Sync) {
      continue;
    }
    const std::uint32_t device = profile.streams[activities.stream[row]].device;
    active.insert(device);
    const std::uint32_t call = links.call_of_activity[row];
    const std::int64_t start = activities.start_ns[row];
    const std::size_t step = step_of_activity(profile, links, steps, row);
    const bool is_kernel = activities.kind[row] == ActivityKind::Kernel;
    kernels += is_kernel ? 1 : 0;
    if (step == steps.all.size()) {
      placed += is_kernel && call != kNoRow ? 1 : 0;  // known to belong to no step
      continue;
    }
    work.push_back({step, device, {start, start + audit.duration_ns[row]}});
    if (is_kernel) {
      ++placed;
      ++steps.all[step].kernels;
      add_saturated(steps.all[step].kernel_sum_ns, audit.duration_ns[row]);
    }
    // steps on the device's axis: their launches are those of their work
    if (by_device_time && call != kNoRow && is_launch(profile.api_calls.kind[call]) && !counted[call]) {
      counted[call] = true;
      ++steps.all[step].launches;
    }
  }
  for (std::uint32_t call = 0; call < profile.api_calls.size(); ++call) {
    if (is_launch(profile.api_calls.kind[call]) && !by_device_time) {
      const std::size_t at = step_at(steps.all, profile.api_calls.start_ns[call]);
      if (at != steps.all.size()) {
        ++steps.all[at].launches;
      }
    }
  }
  steps.device_time_known = placed * 2 >= kernels;
  std::ranges::sort(work, [](const Work& a, const Work& b) {
    return std::tuple(a.step, a.device, a.interval.begin_ns) <
           std::tuple(b.step, b.device, b.interval.begin_ns);
  });
  std::vector<Interval> intervals;
  for (std::size_t i = 0; i < work.size(); ++i) {
    intervals.push_back(work[i].interval);
    if (i + 1 == work.size() || work[i + 1].step != work[i].step || work[i + 1].device != work[i].device) {
      add_saturated(steps.all[work[i].step].busy_ns, union_ns(intervals));
      intervals.clear();
    }
  }
  for (Step& step : steps.all) {
    step.busy_ns /= static_cast<std::int64_t>(std::max<std::size_t>(active.size(), 1));
    step.step_ns = std::max(step.duration_ns, step.busy_ns);
  }
}

}  // namespace

std::size_t step_at(const std::vector<Step>& steps, std::int64_t time_ns) {
  const auto begin_of = [](const Step& step) { return step.start_ns - step.lead_ns; };
  const auto behind = std::ranges::upper_bound(steps, time_ns, {}, begin_of);
  if (behind == steps.begin()) {
    return steps.size();
  }
  const Step& step = *std::prev(behind);
  // steps found among the kernels follow each other without a gap, on the host's axis too
  const bool followed = behind != steps.end() && step.start_ns + step.duration_ns == behind->start_ns;
  const std::int64_t end = followed ? begin_of(*behind) : begin_of(step) + step.duration_ns;
  return time_ns < end ? static_cast<std::size_t>(behind - steps.begin()) - 1 : steps.size();
}

std::size_t step_of_activity(const Profile& profile, const Links& links, const Steps& steps,
                             std::uint32_t activity) {
  if (steps.kind == StepKind::Whole) {
    return 0;
  }
  const std::uint32_t call = links.call_of_activity[activity];
  const std::int64_t start = profile.activities.start_ns[activity];
  if (steps.kind == StepKind::KernelSequence) {
    return step_on_device(steps.all, start);
  }
  return step_at(steps.all, call == kNoRow ? start : profile.api_calls.start_ns[call]);
}

std::string_view to_string(StepKind kind) {
  switch (kind) {
    case StepKind::ProfilerStep: return "profiler_step";
    case StepKind::UserRange: return "user_range";
    case StepKind::KernelSequence: return "kernel_sequence";
    case StepKind::Whole: return "whole";
  }
  return "whole";
}

Steps find_steps(const Profile& profile, const Links& links, const DurationAudit& audit) {
  Steps steps{.kind = StepKind::ProfilerStep};
  steps.all = profiler_steps(profile, steps.overlapping_marks);
  if (steps.all.empty()) {
    steps.kind = StepKind::UserRange;
    for (const RangeStep& range : find_repeating_range(profile)) {
      steps.all.push_back({.name = range.name, .start_ns = range.start_ns, .duration_ns = range.duration_ns});
    }
  }
  if (steps.all.empty()) {
    steps.kind = StepKind::KernelSequence;
    const KernelPeriod period = find_kernel_period(profile, links);
    for (std::size_t i = 0; i + 1 < period.starts_ns.size(); ++i) {
      steps.all.push_back(
          {.name = fmt::format("sequence {} of {}", i + 1, format_counted(period.kernels, "kernel")),
           .start_ns = period.starts_ns[i],
           .duration_ns = period.starts_ns[i + 1] - period.starts_ns[i]});
    }
  }
  if (steps.all.empty()) {
    steps.kind = StepKind::Whole;
  }
  if (steps.all.empty() && profile.info.first_ns) {
    steps.all.push_back({.name = "whole trace",
                         .start_ns = *profile.info.first_ns,
                         .duration_ns = *profile.info.last_ns - *profile.info.first_ns});
  }
  measure(profile, links, audit, steps);
  mark_warmup(profile, steps.all);
  std::vector<std::int64_t> durations;
  std::vector<std::int64_t> busy;
  for (const Step& step : steps.all) {
    if (!step.warmup) {
      durations.push_back(step.step_ns);
      busy.push_back(step.busy_ns);
    }
  }
  steps.steady = durations.size();
  steps.step_ns = median(std::move(durations));
  steps.busy_ns = median(std::move(busy));
  return steps;
}

}  // namespace foretell::timeline
