// SPDX-License-Identifier: Apache-2.0
// From launch call to device start: delay, queue depth, and whether the two clocks agree.
#pragma once

#include <cstdint>
#include <optional>

#include "analyzer/profile/profile.hpp"
#include "analyzer/timeline/links.hpp"
#include "analyzer/timeline/steps.hpp"

namespace foretell::timeline {

struct LaunchStats {
  std::uint64_t linked = 0;  // launches (kernel and graph) with a timed device record
  // From the end of the call to the start of its first activity, never below 0. On a well-fed device this is
  // queueing, which costs nothing: it is slack, not overhead.
  std::int64_t delay_median_ns = 0;
  std::int64_t delay_mean_ns = 0;
  std::int64_t delay_max_ns = 0;
  // Host time inside launch calls: the dispatch cost.
  std::int64_t call_sum_ns = 0;
  std::int64_t call_median_ns = 0;
  std::int64_t call_p10_ns = 0;  // 10th percentile: what a launch costs when nothing holds it up
  // Kernel launches against their kernels.
  std::uint64_t linked_kernel_launches = 0;
  std::uint64_t kernels_shorter_than_launch = 0;
  double shorter_share = 0;             // of linked_kernel_launches
  std::uint64_t blocking_launches = 0;  // the kernel ran wholly within its call: launches wait for the device
  std::int64_t kernel_median_ns = 0;    // duration of all timed kernels
  // Launched but not started, over time, per stream; kernels without a launch do not count.
  std::int64_t queue_min = 0;
  std::int64_t queue_max = 0;
  // Activities stamped before their launch began: the clocks differ by at least that much.
  std::uint64_t skewed = 0;
  std::int64_t skew_max_ns = 0;
  // Every kernel launched before a device synchronisation starts after that call returned: impossible unless
  // the device clock is ahead by about this much.
  std::optional<std::int64_t> clock_offset_ns;
};

LaunchStats compute_launch_stats(const profile::Profile& profile, const Links& links);

// From the start of one launch call to the start of the next on the same thread in the same steady step:
// median; 0: no two launches.
std::int64_t launch_interval_median_ns(const profile::Profile& profile, const Steps& steps);

}  // namespace foretell::timeline
