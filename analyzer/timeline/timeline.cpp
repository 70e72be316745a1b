// SPDX-License-Identifier: Apache-2.0
#include "analyzer/timeline/timeline.hpp"

namespace foretell::timeline {

Timeline compute_timeline(const profile::Profile& profile, const TimelineOptions& options) {
  Timeline timeline;
  timeline.links = link(profile);
  timeline.facts = compute_facts(profile, timeline.links);
  timeline.audit = audit_durations(profile, timeline.links);
  timeline.launches = compute_launch_stats(profile, timeline.links);
  timeline.graphs = compute_graph_stats(profile, timeline.links, timeline.audit);
  timeline.ops = compute_op_times(profile, timeline.links, timeline.audit);
  timeline.steps = find_steps(profile, timeline.links, timeline.audit);
  timeline.integrity = judge({.profile = profile,
                              .links = timeline.links,
                              .facts = timeline.facts,
                              .audit = timeline.audit,
                              .launches = timeline.launches,
                              .graphs = timeline.graphs,
                              .ops = timeline.ops,
                              .steps = timeline.steps,
                              .wall_ns = options.wall_ns});
  return timeline;
}

}  // namespace foretell::timeline
