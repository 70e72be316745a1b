// SPDX-License-Identifier: Apache-2.0
// Are the device durations believable? Work on one stream is serial, so an activity that runs over whole
// later ones has a corrupt duration; it is clipped to the next start. A small overlap of two neighbours is
// real (programmatic dependent launch lets a kernel begin before the previous one ends) and is only counted.
#pragma once

#include <cstdint>

#include "analyzer/profile/profile.hpp"
#include "analyzer/timeline/links.hpp"

namespace foretell::timeline {

struct DurationAudit {
  Column<std::int64_t> duration_ns;  // per activity: never negative, corrupt ones clipped
  std::uint64_t corrupt = 0;
  std::uint32_t worst = profile::kNoRow;  // activity with the largest cut
  std::int64_t cut_ns = 0;                // sum taken off
  std::uint64_t overlapped_pairs = 0;     // neighbours on one stream that overlap, corrupt ones aside
  std::int64_t overlap_ns = 0;            // sum of those overlaps
  std::int64_t kernel_sum_ns = 0;         // of the kernels, after clipping
  std::int64_t device_busy_ns = 0;  // union per device of kernels, copies and sets, summed; after clipping
};

DurationAudit audit_durations(const profile::Profile& profile, const Links& links);

}  // namespace foretell::timeline
