// SPDX-License-Identifier: Apache-2.0
// All that is computed about one trace, in one call.
#pragma once

#include <optional>

#include "analyzer/profile/profile.hpp"
#include "analyzer/timeline/durations.hpp"
#include "analyzer/timeline/facts.hpp"
#include "analyzer/timeline/graphs.hpp"
#include "analyzer/timeline/integrity.hpp"
#include "analyzer/timeline/launches.hpp"
#include "analyzer/timeline/links.hpp"
#include "analyzer/timeline/op_times.hpp"
#include "analyzer/timeline/steps.hpp"

namespace foretell::timeline {

struct TimelineOptions {
  std::optional<std::int64_t> wall_ns;  // bare time of one step (--wall-ms)
};

struct Timeline {
  Links links;
  Facts facts;
  DurationAudit audit;
  LaunchStats launches;
  GraphStats graphs;
  OpTimes ops;
  Steps steps;
  Integrity integrity;
};

Timeline compute_timeline(const profile::Profile& profile, const TimelineOptions& options = {});

}  // namespace foretell::timeline
