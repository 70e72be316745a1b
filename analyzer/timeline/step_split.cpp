// SPDX-License-Identifier: Apache-2.0
#include "analyzer/timeline/step_split.hpp"

#include <algorithm>
#include <numeric>

#include "analyzer/timeline/intervals.hpp"
#include "src/base/saturate.hpp"

namespace foretell::timeline {
namespace {

using namespace profile;

// A bare step may be a little longer than the traced one, as any two runs differ: by a twentieth.
constexpr std::int64_t kWallTolerance = 20;

template <std::size_t N>
std::int64_t sum(const std::array<std::int64_t, N>& times) {
  return std::accumulate(times.begin(), times.end(), std::int64_t{0});
}

// Index of the last step that starts at or before `time_ns`, plus one; 0: none does.
std::size_t bucket_at(const std::vector<Step>& steps, std::int64_t time_ns) {
  return static_cast<std::size_t>(std::ranges::upper_bound(steps, time_ns, {}, &Step::start_ns) -
                                  steps.begin());
}

// Where each step lies on the device's axis.
std::vector<Interval> place_steps(const Steps& steps, const Profile& profile, const Links& links,
                                  const DurationAudit& audit) {
  std::vector<Interval> windows;
  for (const Step& step : steps.all) {
    windows.push_back({step.start_ns, step.start_ns + step.duration_ns});
  }
  if (steps.kind == StepKind::KernelSequence || steps.kind == StepKind::Whole) {
    return windows;
  }
  std::vector<std::int64_t> launched_end(windows.size() + 1, INT64_MIN);  // by bucket
  for (std::uint32_t row = 0; row < profile.activities.size(); ++row) {
    if (!profile.activities.timed[row] || profile.activities.kind[row] == ActivityKind::Sync) {
      continue;
    }
    const std::uint32_t call = links.call_of_activity[row];
    const std::int64_t start = profile.activities.start_ns[row];
    const std::int64_t launched = call == kNoRow ? start : profile.api_calls.start_ns[call];
    const std::size_t bucket = bucket_at(steps.all, launched);
    const std::int64_t end = start + audit.duration_ns[row];
    launched_end[bucket] = std::max(launched_end[bucket], end);
    if (bucket > 0 && launched < windows[bucket - 1].begin_ns + steps.all[bucket - 1].duration_ns) {
      windows[bucket - 1].end_ns = std::max(windows[bucket - 1].end_ns, end);
    }
  }
  std::int64_t carried = INT64_MIN;  // end of all work launched before the step
  for (std::size_t i = 0; i < windows.size(); ++i) {
    carried = std::max(carried, launched_end[i]);
    // work that runs on through later steps leaves them no time of their own: they stay where they are marked
    if (windows[i].end_ns - std::max(windows[i].begin_ns, carried) >= steps.all[i].duration_ns / 2) {
      windows[i].begin_ns = std::max(windows[i].begin_ns, carried);
    } else {
      windows[i].end_ns = windows[i].begin_ns + steps.all[i].duration_ns;
    }
  }
  return windows;
}

// Does the work of one step run on through others? Then the step that launched it says little.
bool outlived(const Steps& steps, const std::vector<Interval>& windows) {
  for (std::size_t i = 1; i < windows.size(); ++i) {
    if (windows[i].begin_ns < windows[i - 1].end_ns && steps.kind != StepKind::KernelSequence) {
      return true;
    }
  }
  return false;
}

// Where the device's recorded work begins if, before its first kernel, issued work had to wait for work that
// is not recorded; else its first tile.
std::int64_t recorded_begin_ns(const DeviceTiles& device, const Profile& profile, const Links& links) {
  std::int64_t begin = device.tiles.front().begin_ns;
  for (const Tile& tile : device.tiles) {
    if (!tile.idle && tile.busy_class == BusyClass::Kernels) {
      break;
    }
    if (!tile.idle || tile.idle_class != IdleClass::UnknownWait || tile.next == kNoRow) {
      continue;
    }
    const std::uint32_t call = links.call_of_activity[tile.next];
    if (call != kNoRow && profile.api_calls.start_ns[call] < tile.begin_ns) {
      begin = tile.end_ns;
    }
  }
  return begin;
}

// What of the device's tiles lies in each window.
std::vector<StepSplit> split_device(const DeviceTiles& device, const std::vector<Interval>& windows) {
  std::vector<StepSplit> steps;
  for (const Interval& window : windows) {
    StepSplit step{.begin_ns = window.begin_ns, .end_ns = window.end_ns};
    std::int64_t rest = window.end_ns - window.begin_ns;
    auto tile = std::ranges::upper_bound(device.tiles, step.begin_ns, {}, &Tile::end_ns);
    for (; tile != device.tiles.end() && tile->begin_ns < step.end_ns; ++tile) {
      const std::int64_t inside =
          std::min(tile->end_ns, step.end_ns) - std::max(tile->begin_ns, step.begin_ns);
      (tile->idle ? of(step.idle_ns, tile->idle_class)
                  : step.busy_ns[static_cast<std::size_t>(tile->busy_class)]) += inside;
      rest -= inside;
    }
    of(step.idle_ns, IdleClass::Unattributed) += rest;  // a mark that reaches beyond the recorded events
    steps.push_back(step);
  }
  return steps;
}

// The mean over the devices; what division cuts off is unattributed.
std::vector<StepSplit> mean_of(const std::vector<std::vector<StepSplit>>& devices) {
  std::vector<StepSplit> mean = devices.front();
  for (std::size_t i = 0; devices.size() > 1 && i < mean.size(); ++i) {
    StepSplit& step = mean[i];
    std::int64_t rest = step.end_ns - step.begin_ns;
    const auto average = [&](auto StepSplit::* times) {
      for (std::size_t k = 0; k < (step.*times).size(); ++k) {
        std::int64_t sum = 0;
        for (const std::vector<StepSplit>& device : devices) {
          add_saturated(sum, (device[i].*times)[k]);
        }
        (step.*times)[k] = sum / static_cast<std::int64_t>(devices.size());
        rest -= (step.*times)[k];
      }
    };
    average(&StepSplit::busy_ns);
    average(&StepSplit::idle_ns);
    of(step.idle_ns, IdleClass::Unattributed) += rest;
  }
  return mean;
}

// `total` split in proportion to `weights`, without a remainder; all to the last one if there is no weight.
template <std::size_t N>
std::array<std::int64_t, N> apportion(std::int64_t total, const std::array<std::int64_t, N>& weights) {
  std::array<std::int64_t, N> parts{};
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0, [](double so_far, std::int64_t w) {
    return so_far + static_cast<double>(w);
  });
  if (sum <= 0) {
    parts.back() = total;
    return parts;
  }
  std::int64_t rest = total;
  for (std::size_t i = 0; i < N; ++i) {
    parts[i] = std::min(rest, static_cast<std::int64_t>(static_cast<double>(total) *
                                                        (static_cast<double>(weights[i]) / sum)));
    rest -= parts[i];
  }
  *std::ranges::max_element(parts) += rest;
  return parts;
}

// Class by class the median over the steady steps; where all of them are 0, the sum.
template <std::size_t N, class Pick>
std::array<std::int64_t, N> typical(const Steps& steps, const std::vector<StepSplit>& splits, Pick pick) {
  std::array<std::int64_t, N> medians{};
  std::array<std::int64_t, N> sums{};
  for (std::size_t i = 0; i < N; ++i) {
    std::vector<std::int64_t> values;
    for (std::size_t step = 0; step < splits.size(); ++step) {
      if (!steps.all[step].warmup) {
        values.push_back(pick(splits[step])[i]);
        add_saturated(sums[i], values.back());
      }
    }
    medians[i] = median(std::move(values));
  }
  return std::ranges::any_of(medians, [](std::int64_t ns) { return ns > 0; }) ? medians : sums;
}

// What the profiler added lies where the host was at work; only what exceeds that is taken off the rest.
IdleTimes without_distortion(IdleTimes idle, std::int64_t distortion_ns) {
  IdleTimes inflated{};
  for (const IdleClass at_work : {IdleClass::Launch, IdleClass::Host, IdleClass::Profiler}) {
    of(inflated, at_work) = of(idle, at_work);
  }
  const auto take_off = [&](const IdleTimes& from) {
    const std::int64_t most = std::accumulate(from.begin(), from.end(), std::int64_t{0});
    const std::int64_t taken = std::min(most, distortion_ns);
    const IdleTimes parts = apportion(taken, from);
    std::int64_t rest = taken;
    for (const bool rounded :
         {true, false}) {  // never more than there is: what rounding left comes off later
      for (std::size_t i = 0; i < idle.size(); ++i) {
        const std::int64_t part = std::min({rounded ? parts[i] : rest, from[i], rest, idle[i]});
        idle[i] -= part;
        rest -= part;
      }
    }
    distortion_ns -= taken;
  };
  take_off(inflated);
  take_off(idle);
  return idle;
}

}  // namespace

Split split_steps(const Steps& steps, const std::vector<DeviceTiles>& devices, const Profile& profile,
                  const Links& links, const DurationAudit& audit, std::optional<std::int64_t> wall_ns) {
  Split split;
  split.step_ns = steps.step_ns;
  split.busy_ns = steps.busy_ns;
  split.known = !devices.empty() && steps.device_time_known && !steps.all.empty();
  std::vector<Interval> windows = place_steps(steps, profile, links, audit);
  if (devices.empty() || windows.empty()) {
    return split;
  }
  if (steps.kind == StepKind::Whole) {
    std::int64_t begin = INT64_MAX;
    for (const DeviceTiles& device : devices) {
      begin = std::min(begin, recorded_begin_ns(device, profile, links));
    }
    split.skipped_ns = begin - windows.front().begin_ns;
    split.step_ns -= split.skipped_ns;
    windows.front().begin_ns = begin;
  }
  std::vector<std::vector<StepSplit>> of_device;
  for (const DeviceTiles& device : devices) {
    of_device.push_back(split_device(device, windows));
  }
  split.steps = mean_of(of_device);
  if (!split.known) {
    return split;
  }
  const auto busy_of = [](const StepSplit& step) { return step.busy_ns; };
  const auto idle_of = [](const StepSplit& step) { return step.idle_ns; };
  const auto busy_time = [](const StepSplit& step) { return std::array{sum(step.busy_ns)}; };
  const std::int64_t in_windows = typical<1>(steps, split.steps, busy_time)[0];
  if (split.skipped_ns > 0 || outlived(steps, windows)) {
    split.busy_ns = std::min(in_windows, split.step_ns);
  }
  split.busy = apportion(split.busy_ns, typical<std::tuple_size_v<BusyTimes>>(steps, split.steps, busy_of));
  split.idle_ns =
      apportion(split.step_ns - split.busy_ns, typical<kIdleClasses>(steps, split.steps, idle_of));
  if (wall_ns) {
    split.wall_below_busy = *wall_ns < split.busy_ns;
    split.wall_above_step = *wall_ns > split.step_ns + split.step_ns / kWallTolerance;
    split.wall_used = !split.wall_below_busy && !split.wall_above_step;
  }
  if (split.wall_used && *wall_ns < split.step_ns) {
    split.distortion_ns = split.step_ns - *wall_ns;
    split.idle_ns = without_distortion(split.idle_ns, split.distortion_ns);
    split.step_ns = *wall_ns;
  }
  for (std::size_t i = 0; i < devices.size(); ++i) {
    DeviceSplit device{.device = devices[i].device, .busy_ns = split.busy_ns, .idle_ns = split.idle_ns};
    if (devices.size() > 1) {
      device.busy_ns = std::min(typical<1>(steps, of_device[i], busy_time)[0], split.step_ns);
      device.idle_ns = without_distortion(apportion(split.step_ns + split.distortion_ns - device.busy_ns,
                                                    typical<kIdleClasses>(steps, of_device[i], idle_of)),
                                          split.distortion_ns);
    }
    split.devices.push_back(device);
  }
  return split;
}

}  // namespace foretell::timeline
