// SPDX-License-Identifier: Apache-2.0
#include "analyzer/timeline/graphs.hpp"

#include <algorithm>
#include <vector>

#include "analyzer/timeline/intervals.hpp"
#include "src/base/saturate.hpp"

namespace foretell::timeline {

using namespace profile;

GraphStats compute_graph_stats(const Profile& profile, const Links& links, const DurationAudit& audit) {
  GraphStats stats;
  const ApiCalls& calls = profile.api_calls;
  const DeviceActivities& activities = profile.activities;
  std::vector<std::int64_t> kernels_of(calls.size(), 0);
  std::vector<std::int64_t> device_ns_of(calls.size(), 0);
  std::int64_t inside_ns = 0;
  std::int64_t all_ns = 0;
  for (std::uint32_t row = 0; row < activities.size(); ++row) {
    if (activities.kind[row] == ActivityKind::Sync) {
      continue;
    }
    add_saturated(all_ns, audit.duration_ns[row]);
    const std::uint32_t call = links.call_of_activity[row];
    const bool replayed =
        call != kNoRow ? calls.kind[call] == ApiKind::GraphLaunch : activities.graph_id[row] != kNoId;
    if (!replayed) {
      continue;
    }
    add_saturated(inside_ns, audit.duration_ns[row]);
    const bool is_kernel = activities.kind[row] == ActivityKind::Kernel;
    (is_kernel ? stats.kernels : stats.copies) += 1;
    if (call != kNoRow) {
      kernels_of[call] += is_kernel ? 1 : 0;
      add_saturated(device_ns_of[call], audit.duration_ns[row]);
    }
  }
  stats.device_time_share = all_ns > 0 ? static_cast<double>(inside_ns) / static_cast<double>(all_ns) : 0;

  std::vector<std::int64_t> per_replay;
  std::int64_t explained_ns = 0;
  for (std::uint32_t call = 0; call < calls.size(); ++call) {
    if (calls.kind[call] != ApiKind::GraphLaunch) {
      continue;
    }
    ++stats.launches;
    if (kernels_of[call] > 0) {
      per_replay.push_back(kernels_of[call]);
    }
    // calls are sorted by thread, then time
    if (call + 1 < calls.size() && calls.thread[call + 1] == calls.thread[call] &&
        calls.kind[call + 1] == ApiKind::Synchronize && device_ns_of[call] > 0) {
      const std::int64_t wait = std::max<std::int64_t>(calls.duration_ns[call + 1], 0);
      add_saturated(stats.wait_ns, wait);
      add_saturated(explained_ns, std::min(wait, device_ns_of[call]));
    }
  }
  if (stats.wait_ns > 0) {
    stats.wait_explained_share = static_cast<double>(explained_ns) / static_cast<double>(stats.wait_ns);
  }
  if (!per_replay.empty()) {
    const auto [least, most] = std::ranges::minmax(per_replay);
    stats.min_kernels_per_replay = static_cast<std::uint64_t>(least);
    stats.max_kernels_per_replay = static_cast<std::uint64_t>(most);
    stats.kernels_per_replay = static_cast<std::uint64_t>(median(std::move(per_replay)));
  }
  return stats;
}

}  // namespace foretell::timeline
