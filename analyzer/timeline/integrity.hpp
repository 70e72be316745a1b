// SPDX-License-Identifier: Apache-2.0
// The verdict on the input, before any number: what it holds, and what may not be concluded from it.
#pragma once

#include <cstdint>
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
#include "analyzer/timeline/step_split.hpp"
#include "analyzer/timeline/steps.hpp"

namespace foretell::timeline {

enum class Verdict : std::uint8_t { Complete, Partial, Unusable };
std::string_view to_string(Verdict verdict);

struct Integrity {
  Verdict verdict = Verdict::Complete;
  // Why the step is no typical one, so that where its time goes can't be told; empty: it is.
  std::string step_doubt;
  // Why not complete, what may not be concluded, and in brackets the line of the recipe that would have
  // helped.
  std::vector<std::string> reasons;
  std::vector<std::string> notes;                              // odd, but no conclusion depends on it
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
  const std::vector<DeviceTiles>& tiles;
  const Split& split;
};

Integrity judge(const Evidence& evidence);

// What was recorded beside the times, and made the host slower than it is.
struct RecordedExtras {
  bool stacks = false, shapes = false;

  [[nodiscard]] bool any() const { return stacks || shapes; }
  [[nodiscard]] std::string_view names() const {  // of those that are there
    return stacks && shapes ? "stacks and shapes" : stacks ? "stacks" : "shapes";
  }
};
RecordedExtras recorded_extras(const profile::Profile& profile);

}  // namespace foretell::timeline
