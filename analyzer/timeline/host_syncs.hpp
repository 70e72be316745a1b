// SPDX-License-Identifier: Apache-2.0
// Where the host waits for the device within the steady steps: synchronisations, and copies to the host whose
// call ends after the copy does. A wait costs what the device was idle in it; the rest is the device's work.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/profile/profile.hpp"
#include "analyzer/timeline/durations.hpp"
#include "analyzer/timeline/links.hpp"
#include "analyzer/timeline/per_step.hpp"
#include "analyzer/timeline/steps.hpp"

namespace foretell::timeline {

// A synchronisation right behind a blocking copy, as reading one value makes, is one wait with it.
struct HostSync {
  std::uint32_t call = profile::kNoRow;         // the longer one of such a pair
  std::uint32_t step = 0;                       // index of Steps::all
  std::uint32_t op = profile::kNoRow;           // innermost operator around it
  std::uint32_t last_kernel = profile::kNoRow;  // activity launched last before it on its thread
  std::uint32_t group = 0;                      // index of HostSyncs::groups
  bool host_read = false;                       // a small copy to the host just before or inside
  std::int64_t wait_ns = 0;                     // host time in the call(s)
  std::int64_t busy_ns = 0;                     // of it, the device of the thread's last launch was busy
  std::int64_t idle_ns = 0;                     // wait - busy
};

struct HostSyncGroup {
  StringId call_name = StringId::Empty;
  StringId op_name = StringId::Empty;                // of HostSync::op; Empty: none
  std::string where;                                 // source line, see source_lines.hpp
  std::uint32_t example = 0;                         // index of HostSyncs::all: the longest wait
  bool host_read = false;                            // most of them
  StepSum count{}, wait_ns{}, busy_ns{}, idle_ns{};  // total = steady
};

struct HostSyncs {
  std::vector<HostSync> all;                             // in order of api_calls, steady steps only
  std::vector<HostSyncGroup> groups;                     // most idle first, then longest wait
  StepSum count, host_reads, wait_ns, busy_ns, idle_ns;  // total = steady
  // The last device-wide synchronisation, if nothing is launched behind it on any thread: the profiler's own.
  // Not among the above.
  std::uint32_t closing_call = profile::kNoRow;
  std::int64_t closing_sync_ns = 0;
};

HostSyncs compute_host_syncs(const profile::Profile& profile, const Links& links, const DurationAudit& audit,
                             const Steps& steps);

}  // namespace foretell::timeline
