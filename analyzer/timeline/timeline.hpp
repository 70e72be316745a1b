// SPDX-License-Identifier: Apache-2.0
// All that is computed about one trace, in one call.
#pragma once

#include <optional>

#include "analyzer/profile/profile.hpp"
#include "analyzer/timeline/allocations.hpp"
#include "analyzer/timeline/durations.hpp"
#include "analyzer/timeline/facts.hpp"
#include "analyzer/timeline/graphs.hpp"
#include "analyzer/timeline/host_syncs.hpp"
#include "analyzer/timeline/idle.hpp"
#include "analyzer/timeline/integrity.hpp"
#include "analyzer/timeline/kernel_class.hpp"
#include "analyzer/timeline/launches.hpp"
#include "analyzer/timeline/links.hpp"
#include "analyzer/timeline/modules.hpp"
#include "analyzer/timeline/op_times.hpp"
#include "analyzer/timeline/recompiles.hpp"
#include "analyzer/timeline/step_split.hpp"
#include "analyzer/timeline/steps.hpp"
#include "analyzer/timeline/threads.hpp"

namespace foretell::timeline {

struct TimelineOptions {
  std::optional<std::int64_t> wall_ns;  // bare time of one step (--wall-ms)
};

struct Timeline {
  Links links;
  Facts facts;
  DurationAudit audit;
  Column<KernelClass> classes;  // per row of the activities
  LaunchStats launches;
  GraphStats graphs;
  OpTimes ops;
  Steps steps;
  std::vector<DeviceTiles> tiles;  // per active device
  Split split;
  std::int64_t launch_interval_ns = 0;  // median from launch to launch within the steady steps
  HostSyncs syncs;
  Allocations allocations;
  Recompiles compilation;
  Modules modules;
  std::vector<HostThread> threads;
  Integrity integrity;
};

Timeline compute_timeline(const profile::Profile& profile, const TimelineOptions& options = {});

}  // namespace foretell::timeline
