// SPDX-License-Identifier: Apache-2.0
// Steps from the user's own ranges ("train_step_17", "step[DECODE bs=32]").
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/profile/profile.hpp"

namespace foretell::timeline {

struct RangeStep {
  std::string name;
  std::int64_t start_ns = 0;
  std::int64_t duration_ns = 0;
};

// Ranges of one thread whose names differ in digits only, that repeat at least three times without overlap
// and hold at least half of the launches (of the span, where nothing is launched). A range shorter than a
// tenth of the longest of its family is a lookalike and no step. Of several such families the one that covers
// most time; empty: there is none.
std::vector<RangeStep> find_repeating_range(const profile::Profile& profile);

}  // namespace foretell::timeline
