// SPDX-License-Identifier: Apache-2.0
// Who launched what: device activity -> API call by correlation id only, API call -> host op by external id
// only (two counters that look alike but are not), with nesting in time where no external id is recorded.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/profile/profile.hpp"

namespace foretell::timeline {

struct Links {
  Column<std::uint32_t> call_of_activity;  // row of api_calls or kNoRow
  Column<std::uint32_t> op_of_activity;    // row of host_ops or kNoRow; kNoRow inside graph replays, whose
                                           // kernels belong to no op of the replay
  Column<std::uint32_t> op_of_call;        // row of host_ops or kNoRow
  std::uint64_t linked_kernels = 0;        // kernels whose non-zero correlation matches an API call
  std::uint64_t ambiguous_activities = 0;  // the correlation matches several calls: no link is made
  std::uint64_t launches_without_activity = 0;  // kernel and graph launches that no device record refers to
};

// Correlation 0 is no link. A graph launch is linked to all of its many activities.
Links link(const profile::Profile& profile);

// Per call the timed activity it made that starts first (a Sync record is none); kNoRow: none.
std::vector<std::uint32_t> first_activities(const profile::Profile& profile, const Links& links);

}  // namespace foretell::timeline
