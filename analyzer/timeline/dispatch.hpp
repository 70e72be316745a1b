// SPDX-License-Identifier: Apache-2.0
// How the host of a trace issues work: what tells issuing from other work, and a queue from a late launch.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "analyzer/profile/profile.hpp"
#include "analyzer/timeline/links.hpp"

namespace foretell::timeline {

// From the begin of a launch call to the start of its kernel on an idle device: 5 to 10 us, virtualised up to
// 32. More is no latency.
inline constexpr std::int64_t kLongestLatencyNs = 50'000;
// A stretch without a launch that is longer than ten of the usual ones is other work than issuing, between
// these bounds: an eager op costs the host 3 to 10 us, up to 200 with stacks recorded or a debugger attached.
inline constexpr std::int64_t kShortestHostWorkNs = 500'000;
inline constexpr std::int64_t kLongestIssueNs = 2'000'000;

struct Dispatch {
  std::vector<std::uint32_t> activity_of_call;  // the first one it made, or kNoRow
  std::int64_t latency_ns = 0;  // of a launch nothing holds up: 10th percentile, call to kernel
  std::int64_t longest_issue_ns = kShortestHostWorkNs;
  std::int64_t last_launch_ns = std::numeric_limits<std::int64_t>::min();
};

Dispatch measure_dispatch(const profile::Profile& profile, const Links& links);

}  // namespace foretell::timeline
