// SPDX-License-Identifier: Apache-2.0
// Communication bound: time in which only collectives run, or the device waits for one on the host / step.
#include <fmt/format.h>

#include <vector>

#include "analyzer/checks/measure.hpp"
#include "analyzer/timeline/intervals.hpp"
#include "src/base/saturate.hpp"
#include "src/base/text.hpp"

namespace foretell::checks {
namespace {

Finding run(const View& view) {
  if (const auto why = unknown_step(view)) {
    return found(Verdict::Unknown, *why);
  }
  const timeline::Timeline& t = view.timeline;
  std::int64_t sum = 0;      // over streams
  std::int64_t running = 0;  // time in which at least one runs
  std::uint64_t collectives = 0;
  std::vector<std::vector<timeline::Interval>> of_device(view.profile.devices.size());
  for (std::uint32_t row = 0; row < view.profile.activities.size(); ++row) {
    if (view.profile.activities.kind[row] == profile::ActivityKind::Kernel &&
        view.profile.activities.timed[row] && t.classes[row] == timeline::KernelClass::Communication) {
      ++collectives;
      add_saturated(sum, t.audit.duration_ns[row]);
      const std::int64_t start = view.profile.activities.start_ns[row];
      of_device[view.profile.streams[view.profile.activities.stream[row]].device].push_back(
          {start, start + t.audit.duration_ns[row]});
    }
  }
  for (std::vector<timeline::Interval>& intervals : of_device) {
    add_saturated(running, timeline::union_ns(intervals));
  }
  // over the whole trace, since a step's collectives may end in the next
  std::int64_t exposed_in_trace = 0;
  for (const timeline::DeviceTiles& device : t.tiles) {
    for (const timeline::Tile& tile : device.tiles) {
      add_saturated(exposed_in_trace, !tile.idle && tile.busy_class == timeline::BusyClass::Communication
                                          ? tile.end_ns - tile.begin_ns
                                          : 0);
    }
  }
  const std::int64_t exposed = t.split.busy[static_cast<std::size_t>(timeline::BusyClass::Communication)];
  const std::int64_t waiting = idle_ns(view, timeline::IdleClass::Communication);
  const std::int64_t lost = exposed + waiting;
  const std::int64_t idle = t.split.step_ns - t.split.busy_ns;
  Finding finding;
  finding.verdict = verdict_of(view, lost);
  finding.ceiling = ceiling_of(view, lost);
  finding.evidence = {
      measured("collectives", static_cast<double>(collectives)),
      measured("communication_sum_ns", static_cast<double>(sum)),
      measured("exposed_ns", static_cast<double>(exposed_in_trace)),
      measured("hidden_ns", static_cast<double>(running - exposed_in_trace)),
      derived("exposed_ns_per_step", static_cast<double>(exposed)),
      derived("idle_ns_per_step", static_cast<double>(idle)),
      derived("ceiling_with_all_idle", ceiling_of(view, exposed + idle)),
  };
  finding.examples = idle_examples(view, {timeline::IdleClass::Communication});
  if (collectives == 0 && waiting == 0) {
    finding.reason = "no collective in the trace";
  } else if (collectives == 0) {
    finding.reason = fmt::format("the device waits {} of the {} step ({}) for a collective on the host",
                                 format_duration(waiting), format_duration(step_ns(view)),
                                 format_share(share_of_step(view, waiting)));
  } else {
    finding.reason = fmt::format(
        "collectives run alone for {} of the {} step ({}); {} of their time is hidden behind other kernels",
        format_duration(exposed), format_duration(step_ns(view)), format_share(share_of_step(view, exposed)),
        running > 0
            ? format_share(static_cast<double>(running - exposed_in_trace) / static_cast<double>(running))
            : std::string("none"));
    if (waiting > 0) {
      finding.reason +=
          fmt::format("; the device waits {} for a collective on the host", format_duration(waiting));
    }
  }
  finding.reasoning = {
      "A collective that overlaps other kernels costs nothing; what counts is the time in which nothing else "
      "runs. "
      "Collectives spin while they wait for slower ranks, so a long one may show another rank's delay.",
      fmt::format("In the trace: {} of collectives, {} of it alone. Per step {} alone, and {} idle for "
                  "whatever reason: "
                  "{:.2f}x if both went.",
                  format_duration(sum), format_duration(exposed_in_trace), format_duration(exposed),
                  format_duration(idle), ceiling_of(view, exposed + idle)),
  };
  return finding;
}

}  // namespace

extern const Check kCommunication;
const Check kCommunication{
    "communication", "Is communication exposed?",
    "overlap it (DDP bucket size, FSDP prefetch), or look for the rank that arrives last", "communication",
    run};

}  // namespace foretell::checks
