// SPDX-License-Identifier: Apache-2.0
#include "analyzer/timeline/facts.hpp"

#include <algorithm>
#include <unordered_set>
#include <vector>

#include "analyzer/timeline/intervals.hpp"
#include "src/base/saturate.hpp"

namespace foretell::timeline {

using namespace profile;

Facts compute_facts(const Profile& profile, const Links& links) {
  Facts facts;
  const DeviceActivities& activities = profile.activities;
  std::vector<std::vector<Interval>> kernels(profile.devices.size());
  std::vector<std::vector<Interval>> all(profile.devices.size());
  for (std::size_t row = 0; row < activities.size(); ++row) {
    const ActivityKind kind = activities.kind[row];
    if (kind == ActivityKind::Sync) {
      continue;  // a wait, never work
    }
    facts.kernels += kind == ActivityKind::Kernel ? 1 : 0;
    facts.memcpys += kind == ActivityKind::Memcpy ? 1 : 0;
    facts.memsets += kind == ActivityKind::Memset ? 1 : 0;
    const std::int64_t duration = activities.duration_ns[row];
    add_saturated(facts.kernel_sum_ns, kind == ActivityKind::Kernel ? duration : 0);
    if (!activities.timed[row]) {
      continue;
    }
    const std::uint32_t device = profile.streams[activities.stream[row]].device;
    const Interval interval{activities.start_ns[row], activities.start_ns[row] + duration};
    all[device].push_back(interval);
    if (kind == ActivityKind::Kernel) {
      kernels[device].push_back(interval);
    }
  }
  for (std::size_t device = 0; device < profile.devices.size(); ++device) {
    facts.active_devices += all[device].empty() ? 0 : 1;
    add_saturated(facts.kernel_busy_ns, union_ns(kernels[device]));
    add_saturated(facts.device_busy_ns, union_ns(all[device]));
  }
  facts.cpu_ops =
      static_cast<std::uint64_t>(std::ranges::count(profile.host_ops.kind.values(), HostOpKind::Operator));
  facts.launch_calls =
      static_cast<std::uint64_t>(std::ranges::count(profile.api_calls.kind.values(), ApiKind::KernelLaunch));
  facts.graph_launches =
      static_cast<std::uint64_t>(std::ranges::count(profile.api_calls.kind.values(), ApiKind::GraphLaunch));
  std::unordered_set<StringId> steps(profile.step_markers.name.begin(), profile.step_markers.name.end());
  facts.steps = steps.size();
  facts.span_ns = profile.info.first_ns ? *profile.info.last_ns - *profile.info.first_ns : 0;
  if (facts.kernels > 0) {
    facts.linked_share = static_cast<double>(links.linked_kernels) / static_cast<double>(facts.kernels);
  }
  return facts;
}

}  // namespace foretell::timeline
