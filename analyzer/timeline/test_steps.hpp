// SPDX-License-Identifier: Apache-2.0
// Steps for the tests beside this file, without a profile to find them in.
#pragma once

#include <cstdint>
#include <string>

#include "analyzer/timeline/steps.hpp"

namespace foretell::timeline {

// `count` steps of `step_ns`, back to back from 0, of which the first `warmup` are warm-up.
inline Steps even_steps(std::size_t count, std::int64_t step_ns, std::size_t warmup = 0) {
  Steps steps{.kind = StepKind::ProfilerStep, .all = {}, .steady = count - warmup, .step_ns = step_ns};
  for (std::size_t i = 0; i < count; ++i) {
    steps.all.push_back({.name = "ProfilerStep#" + std::to_string(i),
                         .start_ns = static_cast<std::int64_t>(i) * step_ns,
                         .duration_ns = step_ns,
                         .step_ns = step_ns,
                         .warmup = i < warmup});
  }
  return steps;
}

}  // namespace foretell::timeline
