// SPDX-License-Identifier: Apache-2.0
#include "analyzer/timeline/launches.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <vector>

#include "analyzer/timeline/intervals.hpp"
#include "src/base/saturate.hpp"

namespace foretell::timeline {
namespace {

using namespace profile;

struct Launch {
  std::uint32_t call = kNoRow;
  std::uint32_t activity = kNoRow;  // the earliest one
};

// Each launch with its first timed activity, in order of the calls.
std::vector<Launch> linked_launches(const Profile& profile, const Links& links) {
  const std::vector<std::uint32_t> first = first_activities(profile, links);
  std::vector<Launch> launches;
  for (std::uint32_t call = 0; call < first.size(); ++call) {
    if (first[call] != kNoRow && is_launch(profile.api_calls.kind[call])) {
      launches.push_back({call, first[call]});
    }
  }
  return launches;
}

// Queue depth per stream: up when a launch call begins, down when its first activity starts (never before its
// launch, whatever the stamps say).
void measure_queue(const Profile& profile, const std::vector<Launch>& launches, LaunchStats& stats) {
  struct Change {
    std::uint32_t stream;
    std::int64_t time_ns;
    std::int64_t by;
  };
  std::vector<Change> changes;
  changes.reserve(launches.size() * 2);
  for (const Launch& launch : launches) {
    const std::uint32_t stream = profile.activities.stream[launch.activity];
    const std::int64_t begin = profile.api_calls.start_ns[launch.call];
    changes.push_back({stream, begin, 1});
    changes.push_back({stream, std::max(begin, profile.activities.start_ns[launch.activity]), -1});
  }
  std::ranges::sort(changes, [](const Change& a, const Change& b) {
    return std::tuple(a.stream, a.time_ns, -a.by) < std::tuple(b.stream, b.time_ns, -b.by);
  });
  std::int64_t depth = 0;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    depth = i > 0 && changes[i].stream != changes[i - 1].stream ? changes[i].by : depth + changes[i].by;
    stats.queue_min = std::min(stats.queue_min, depth);
    stats.queue_max = std::max(stats.queue_max, depth);
  }
}

// A device-wide synchronisation can't return before the kernels launched ahead of it have ended.
std::optional<std::int64_t> find_clock_offset(const Profile& profile, const std::vector<Launch>& launches) {
  const ApiCalls& calls = profile.api_calls;
  std::int64_t sync_begin = INT64_MIN;
  std::int64_t sync_end = 0;
  for (std::uint32_t call = 0; call < calls.size(); ++call) {
    if (calls.kind[call] == ApiKind::Synchronize &&
        profile.text(calls.name[call]).find("DeviceSynchronize") != std::string_view::npos &&
        calls.start_ns[call] > sync_begin) {
      sync_begin = calls.start_ns[call];
      sync_end = sync_begin + calls.duration_ns[call];
    }
  }
  std::int64_t offset = INT64_MAX;
  std::size_t before = 0;
  for (const Launch& launch : launches) {
    if (calls.start_ns[launch.call] >= sync_begin) {
      continue;
    }
    ++before;
    const std::int64_t start = profile.activities.start_ns[launch.activity];
    if (start < sync_end) {
      return std::nullopt;
    }
    offset = std::min(offset, start - calls.start_ns[launch.call]);
  }
  return before > 0 ? std::optional(offset) : std::nullopt;
}

// The value that a tenth of the others do not exceed; 0 if there are none.
std::int64_t tenth_percentile(std::vector<std::int64_t>& values) {
  if (values.empty()) {
    return 0;
  }
  const auto at = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 10);
  std::ranges::nth_element(values, at);
  return *at;
}

// Kernels against the calls that launched them. A corrupt duration is one among many here.
void compare_durations(const Profile& profile, const std::vector<Launch>& launches, LaunchStats& stats) {
  const ApiCalls& calls = profile.api_calls;
  const DeviceActivities& activities = profile.activities;
  for (const Launch& launch : launches) {
    if (calls.kind[launch.call] != ApiKind::KernelLaunch ||
        activities.kind[launch.activity] != ActivityKind::Kernel) {
      continue;
    }
    const std::int64_t begin = calls.start_ns[launch.call];
    const std::int64_t call_ns = std::max<std::int64_t>(calls.duration_ns[launch.call], 0);
    const std::int64_t start = activities.start_ns[launch.activity];
    const std::int64_t kernel_ns = std::max<std::int64_t>(activities.duration_ns[launch.activity], 0);
    ++stats.linked_kernel_launches;
    stats.kernels_shorter_than_launch += kernel_ns < call_ns ? 1 : 0;
    stats.blocking_launches += start >= begin && start + kernel_ns <= begin + call_ns ? 1 : 0;
  }
  if (stats.linked_kernel_launches > 0) {
    stats.shorter_share = static_cast<double>(stats.kernels_shorter_than_launch) /
                          static_cast<double>(stats.linked_kernel_launches);
  }
  std::vector<std::int64_t> kernels;
  kernels.reserve(activities.size());
  for (std::uint32_t row = 0; row < activities.size(); ++row) {
    if (activities.timed[row] && activities.kind[row] == ActivityKind::Kernel) {
      kernels.push_back(std::max<std::int64_t>(activities.duration_ns[row], 0));
    }
  }
  stats.kernel_median_ns = median(std::move(kernels));
}

}  // namespace

std::int64_t launch_interval_median_ns(const Profile& profile, const Steps& steps) {
  const ApiCalls& calls = profile.api_calls;
  std::vector<std::int64_t> intervals;
  std::uint32_t last = kNoRow;
  std::size_t last_step = steps.all.size();
  for (std::uint32_t call = 0; call < calls.size(); ++call) {
    if (!is_launch(calls.kind[call])) {
      continue;
    }
    const std::size_t step = step_at(steps.all, calls.start_ns[call]);
    if (last != kNoRow && calls.thread[last] == calls.thread[call] && step == last_step &&
        step < steps.all.size() && !steps.all[step].warmup) {
      intervals.push_back(calls.start_ns[call] - calls.start_ns[last]);
    }
    last = call;
    last_step = step;
  }
  return median(std::move(intervals));
}

LaunchStats compute_launch_stats(const Profile& profile, const Links& links) {
  LaunchStats stats;
  const ApiCalls& calls = profile.api_calls;
  const std::vector<Launch> launches = linked_launches(profile, links);
  stats.linked = launches.size();
  std::vector<std::int64_t> delays;
  delays.reserve(launches.size());
  for (const Launch& launch : launches) {
    const std::int64_t begin = calls.start_ns[launch.call];
    const std::int64_t end = begin + std::max<std::int64_t>(calls.duration_ns[launch.call], 0);
    const std::int64_t start = profile.activities.start_ns[launch.activity];
    delays.push_back(std::max<std::int64_t>(start - end, 0));
    if (start < begin) {
      ++stats.skewed;
      stats.skew_max_ns = std::max(stats.skew_max_ns, begin - start);
    }
  }
  if (!delays.empty()) {
    const auto sum = std::accumulate(delays.begin(), delays.end(), __extension__ __int128{0});
    stats.delay_mean_ns = static_cast<std::int64_t>(sum / static_cast<std::int64_t>(delays.size()));
    stats.delay_max_ns = std::ranges::max(delays);
    stats.delay_median_ns = median(std::move(delays));
  }
  std::vector<std::int64_t> costs;
  for (std::uint32_t call = 0; call < calls.size(); ++call) {
    if (is_launch(calls.kind[call])) {
      costs.push_back(std::max<std::int64_t>(calls.duration_ns[call], 0));
      add_saturated(stats.call_sum_ns, costs.back());
    }
  }
  stats.call_p10_ns = tenth_percentile(costs);
  stats.call_median_ns = median(std::move(costs));
  compare_durations(profile, launches, stats);
  measure_queue(profile, launches, stats);
  stats.clock_offset_ns = find_clock_offset(profile, launches);
  return stats;
}

}  // namespace foretell::timeline
