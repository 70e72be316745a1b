// SPDX-License-Identifier: Apache-2.0
#include "analyzer/timeline/durations.hpp"

#include <algorithm>
#include <vector>

#include "analyzer/timeline/intervals.hpp"
#include "src/base/saturate.hpp"

namespace foretell::timeline {
namespace {

using namespace profile;

// Overlaps up to this are never called corrupt. Real overlaps (programmatic dependent launch, stamps that
// collide) are a few microseconds; the corrupt durations seen in the wild are thousands of times longer.
constexpr std::int64_t kCollisionNs = 100'000;

bool is_work(const DeviceActivities& rows, std::uint32_t row) {
  return rows.timed[row] && rows.kind[row] != ActivityKind::Sync;
}

}  // namespace

DurationAudit audit_durations(const Profile& profile, const Links& links) {
  DurationAudit audit;
  const DeviceActivities& rows = profile.activities;
  audit.duration_ns.resize(rows.size());
  for (std::uint32_t row = 0; row < rows.size(); ++row) {
    audit.duration_ns[row] = std::max<std::int64_t>(rows.duration_ns[row], 0);
  }
  // Branches of one graph replay may run at once under one stream's name.
  const auto same_replay = [&](std::uint32_t a, std::uint32_t b) {
    const std::uint32_t call = links.call_of_activity[a];
    return (call != kNoRow && call == links.call_of_activity[b]) ||
           (rows.graph_id[a] != kNoId && rows.graph_id[a] == rows.graph_id[b]);
  };
  std::int64_t worst_cut = 0;
  for (std::uint32_t row = 0; row < rows.size(); ++row) {
    if (!is_work(rows, row)) {
      continue;
    }
    std::uint32_t next = row + 1;
    const auto same_stream = [&] { return next < rows.size() && rows.stream[next] == rows.stream[row]; };
    while (same_stream() && (!is_work(rows, next) || rows.start_ns[next] == rows.start_ns[row])) {
      ++next;  // equal stamps say nothing
    }
    if (!same_stream() || same_replay(row, next)) {
      continue;
    }
    const std::int64_t overlap = rows.start_ns[row] + audit.duration_ns[row] - rows.start_ns[next];
    if (overlap <= 0) {
      continue;
    }
    const bool swallows = overlap >= std::max<std::int64_t>(rows.duration_ns[next], 0);
    if (swallows && overlap > kCollisionNs) {
      ++audit.corrupt;
      add_saturated(audit.cut_ns, overlap);
      audit.duration_ns[row] -= overlap;
      if (overlap > worst_cut) {
        worst_cut = overlap;
        audit.worst = row;
      }
    } else {
      ++audit.overlapped_pairs;
      add_saturated(audit.overlap_ns, std::min(overlap, std::max<std::int64_t>(rows.duration_ns[next], 0)));
    }
  }
  std::vector<std::vector<Interval>> work(profile.devices.size());
  for (std::uint32_t row = 0; row < rows.size(); ++row) {
    add_saturated(audit.kernel_sum_ns, rows.kind[row] == ActivityKind::Kernel ? audit.duration_ns[row] : 0);
    if (is_work(rows, row)) {
      work[profile.streams[rows.stream[row]].device].push_back(
          {rows.start_ns[row], rows.start_ns[row] + audit.duration_ns[row]});
    }
  }
  for (std::vector<Interval>& intervals : work) {
    add_saturated(audit.device_busy_ns, union_ns(intervals));
  }
  return audit;
}

}  // namespace foretell::timeline
