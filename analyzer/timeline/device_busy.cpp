// SPDX-License-Identifier: Apache-2.0
#include "analyzer/timeline/device_busy.hpp"

#include <algorithm>

#include "analyzer/timeline/intervals.hpp"

namespace foretell::timeline {

using namespace profile;

DeviceBusy::DeviceBusy(const Profile& profile, const DurationAudit& audit)
    : of_device_(profile.devices.size()) {
  const DeviceActivities& rows = profile.activities;
  std::vector<std::vector<Interval>> work(of_device_.size());
  for (std::uint32_t row = 0; row < rows.size(); ++row) {
    if (rows.timed[row] && rows.kind[row] != ActivityKind::Sync && audit.duration_ns[row] > 0) {
      work[profile.streams[rows.stream[row]].device].push_back(
          {rows.start_ns[row], rows.start_ns[row] + audit.duration_ns[row]});
    }
  }
  for (std::size_t device = 0; device < work.size(); ++device) {
    merge(work[device]);
    std::vector<Stretch>& stretches = of_device_[device];
    for (const Interval& interval : work[device]) {
      stretches.push_back(
          {interval.begin_ns, interval.end_ns, stretches.empty() ? 0 : busy_through(stretches.back())});
    }
  }
}

std::int64_t DeviceBusy::busy_until(const std::vector<Stretch>& stretches, std::int64_t time_ns) {
  const auto behind = std::ranges::lower_bound(stretches, time_ns, {}, &Stretch::begin_ns);
  if (behind == stretches.begin()) {
    return 0;
  }
  const Stretch& last = *std::prev(behind);
  return busy_through(last) - std::max<std::int64_t>(last.end_ns - time_ns, 0);
}

std::int64_t DeviceBusy::busy_ns(std::uint32_t device, std::int64_t begin_ns, std::int64_t end_ns) const {
  if (device >= of_device_.size() || end_ns <= begin_ns) {
    return 0;
  }
  return busy_until(of_device_[device], end_ns) - busy_until(of_device_[device], begin_ns);
}

std::uint32_t DeviceBusy::first_active() const {
  const auto active =
      std::ranges::find_if(of_device_, [](const std::vector<Stretch>& work) { return !work.empty(); });
  return active == of_device_.end() ? kNoRow : static_cast<std::uint32_t>(active - of_device_.begin());
}

}  // namespace foretell::timeline
