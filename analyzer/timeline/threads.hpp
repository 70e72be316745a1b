// SPDX-License-Identifier: Apache-2.0
// What each host thread did in the typical step: self CPU + untraced = step, to the nanosecond.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/profile/profile.hpp"
#include "analyzer/timeline/steps.hpp"

namespace foretell::timeline {

struct HostThread {
  std::uint32_t thread = profile::kNoRow;  // row of Profile::threads
  // Median over the steady steps of the time inside operators, Python frames and API calls. Step marks and
  // the user's own ranges cover a thread without saying that it works; frames that wait for another thread
  // or sleep say that it does not.
  std::int64_t self_cpu_ns = 0;
  std::int64_t untraced_ns = 0;      // Steps::step_ns - self_cpu_ns
  std::int64_t api_ns = 0;           // of it, inside API calls: median
  std::int64_t launches = 0;         // kernel and graph launches per step: median
  std::uint64_t total_launches = 0;  // in the whole trace
  bool launching = false;            // launches in the whole trace > 0
};

// Threads with operators, frames or calls; most launches first, then most self CPU.
std::vector<HostThread> compute_threads(const profile::Profile& profile, const Steps& steps);

}  // namespace foretell::timeline
