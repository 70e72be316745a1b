// SPDX-License-Identifier: Apache-2.0
// Where no step repeats, one event can be most of the trace, and nothing says that a step is made of that.
#pragma once

#include <string>

#include "analyzer/timeline/integrity.hpp"

namespace foretell::timeline {

// A tenth of the window in initialisation or compilation makes its step no typical one.
inline constexpr double kDoubtfulShare = 0.1;

// Why the step can't be taken as typical: a single kernel, a compilation or one long gap; empty: it can.
std::string doubt_of_single_events(const profile::Profile& profile, const Evidence& evidence);

}  // namespace foretell::timeline
