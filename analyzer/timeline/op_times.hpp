// SPDX-License-Identifier: Apache-2.0
// Host and device time per op name.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/profile/profile.hpp"
#include "analyzer/timeline/durations.hpp"
#include "analyzer/timeline/links.hpp"

namespace foretell::timeline {

struct OpTime {
  StringId name = StringId::Empty;
  std::uint64_t calls = 0;
  std::int64_t total_ns = 0;  // sum of durations, nested calls of the same name counted again
  std::int64_t self_cpu_ns =
      0;  // without what children cover; a child is clipped to its parent, so never negative
  std::int64_t device_ns = 0;  // sum of the activities launched by the op itself, each counted once
  std::uint64_t kernels = 0;
  std::uint64_t launches = 0;
};

struct OpTimes {
  std::vector<OpTime> by_name;          // operators, longest self_cpu + device first
  std::int64_t largest_overrun_ns = 0;  // by which a child ends after a parent of its kind
  std::int64_t overhead_ns = 0;         // the profiler's own rows: host cost, no op's
};

// Self time of one host op: its duration less the union of its children, each clipped to it.
Column<std::int64_t> compute_self_times(const profile::HostOps& ops);

OpTimes compute_op_times(const profile::Profile& profile, const Links& links, const DurationAudit& audit);

}  // namespace foretell::timeline
