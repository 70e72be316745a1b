// SPDX-License-Identifier: Apache-2.0
// The verdict on the input, before any number: what it holds, and what may not be concluded from it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyzer/profile/profile.hpp"
#include "analyzer/timeline/durations.hpp"
#include "analyzer/timeline/facts.hpp"
#include "analyzer/timeline/graphs.hpp"
#include "analyzer/timeline/launches.hpp"
#include "analyzer/timeline/links.hpp"
#include "analyzer/timeline/op_times.hpp"
#include "analyzer/timeline/steps.hpp"

namespace foretell::timeline {

enum class Verdict : std::uint8_t { Complete, Partial, Unusable };
std::string_view to_string(Verdict verdict);

struct Integrity {
  Verdict verdict = Verdict::Complete;
  std::vector<std::string> reasons;  // why not complete, and what may not be concluded
  std::vector<std::string> notes;    // odd, but no conclusion depends on it
  std::vector<std::pair<std::string, std::int64_t>> counters;  // every counter that is not zero, by JSON key
};

struct Evidence {
  const profile::Profile& profile;
  const Links& links;
  const Facts& facts;
  const DurationAudit& audit;
  const LaunchStats& launches;
  const GraphStats& graphs;
  const OpTimes& ops;
  const Steps& steps;
  std::optional<std::int64_t> wall_ns;  // bare time of one step, measured without the profiler
};

Integrity judge(const Evidence& evidence);

}  // namespace foretell::timeline
