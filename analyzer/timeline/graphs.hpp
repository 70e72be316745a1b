// SPDX-License-Identifier: Apache-2.0
// Graph replays in a trace: one launch, many device records under its correlation id.
#pragma once

#include <cstdint>
#include <optional>

#include "analyzer/profile/profile.hpp"
#include "analyzer/timeline/durations.hpp"
#include "analyzer/timeline/links.hpp"

namespace foretell::timeline {

struct GraphStats {
  std::uint64_t launches = 0;
  std::uint64_t kernels = 0;             // inside replays
  std::uint64_t copies = 0;              // copies and sets inside replays
  std::uint64_t kernels_per_replay = 0;  // median over replays with a device record
  std::uint64_t min_kernels_per_replay = 0, max_kernels_per_replay = 0;
  double device_time_share = 0;  // of the summed device time (kernels, copies, sets)
  // Replays directly followed by a synchronisation on their thread: how much of the wait the recorded device
  // work fills. Loop nodes are recorded once, so a low share means unrecorded iterations. nullopt: none.
  std::optional<double> wait_explained_share;
  std::int64_t wait_ns = 0;
};

GraphStats compute_graph_stats(const profile::Profile& profile, const Links& links,
                               const DurationAudit& audit);

}  // namespace foretell::timeline
