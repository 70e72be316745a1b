// SPDX-License-Identifier: Apache-2.0
#include "analyzer/timeline/dispatch.hpp"

#include <algorithm>
#include <utility>

#include "analyzer/timeline/intervals.hpp"

namespace foretell::timeline {

using namespace profile;

Dispatch measure_dispatch(const Profile& profile, const Links& links) {
  constexpr std::int64_t kIssuesPerHostWork = 10;
  const ApiCalls& calls = profile.api_calls;
  const DeviceActivities& activities = profile.activities;
  Dispatch dispatch;
  dispatch.activity_of_call = first_activities(profile, links);
  std::vector<std::int64_t> latencies;
  for (std::uint32_t call = 0; call < calls.size(); ++call) {
    const std::uint32_t first = dispatch.activity_of_call[call];
    if (first != kNoRow && is_launch(calls.kind[call])) {
      latencies.push_back(std::max<std::int64_t>(activities.start_ns[first] - calls.start_ns[call], 0));
    }
  }
  if (!latencies.empty()) {
    const auto tenth = latencies.begin() + static_cast<std::ptrdiff_t>(latencies.size() / 10);
    std::ranges::nth_element(latencies, tenth);
    dispatch.latency_ns = std::min(*tenth, kLongestLatencyNs);
  }
  std::vector<std::int64_t> intervals;
  std::uint32_t before = kNoRow;
  for (std::uint32_t call = 0; call < calls.size(); ++call) {
    if (!is_launch(calls.kind[call])) {
      continue;
    }
    if (before != kNoRow && calls.thread[before] == calls.thread[call]) {
      intervals.push_back(calls.start_ns[call] - calls.start_ns[before]);
    }
    before = call;
    dispatch.last_launch_ns = std::max(dispatch.last_launch_ns, calls.start_ns[call]);
  }
  dispatch.longest_issue_ns =
      std::clamp(median(std::move(intervals)), kShortestHostWorkNs / kIssuesPerHostWork,
                 kLongestIssueNs / kIssuesPerHostWork) *
      kIssuesPerHostWork;
  return dispatch;
}

}  // namespace foretell::timeline
