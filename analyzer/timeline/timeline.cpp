// SPDX-License-Identifier: Apache-2.0
#include "analyzer/timeline/timeline.hpp"

namespace foretell::timeline {

Timeline compute_timeline(const profile::Profile& profile, const TimelineOptions& options) {
  Timeline timeline;
  timeline.links = link(profile);
  timeline.facts = compute_facts(profile, timeline.links);
  timeline.audit = audit_durations(profile, timeline.links);
  timeline.classes = classify_activities(profile);
  timeline.launches = compute_launch_stats(profile, timeline.links);
  timeline.graphs = compute_graph_stats(profile, timeline.links, timeline.audit);
  timeline.ops = compute_op_times(profile, timeline.links, timeline.audit);
  timeline.steps = find_steps(profile, timeline.links, timeline.audit);
  timeline.tiles =
      attribute_time(profile, timeline.links, timeline.audit, timeline.classes, timeline.steps.step_ns);
  timeline.split =
      split_steps(timeline.steps, timeline.tiles, profile, timeline.links, timeline.audit, options.wall_ns);
  timeline.launch_interval_ns = launch_interval_median_ns(profile, timeline.steps);
  timeline.syncs = compute_host_syncs(profile, timeline.links, timeline.audit, timeline.steps);
  timeline.allocations = compute_allocations(profile, timeline.steps);
  timeline.compilation = compute_recompiles(profile, timeline.steps);
  timeline.modules = compute_modules(profile, timeline.links, timeline.audit);
  timeline.threads = compute_threads(profile, timeline.steps);
  timeline.integrity = judge({.profile = profile,
                              .links = timeline.links,
                              .facts = timeline.facts,
                              .audit = timeline.audit,
                              .launches = timeline.launches,
                              .graphs = timeline.graphs,
                              .ops = timeline.ops,
                              .steps = timeline.steps,
                              .tiles = timeline.tiles,
                              .split = timeline.split});
  return timeline;
}

}  // namespace foretell::timeline
