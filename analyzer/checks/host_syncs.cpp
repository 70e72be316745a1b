// SPDX-License-Identifier: Apache-2.0
// Host syncs in the step: device idle time that a wait of the host caused / step. The rest of a wait is the
// device's work and costs nothing.
#include <fmt/format.h>

#include "analyzer/checks/measure.hpp"
#include "analyzer/timeline/kernel_name.hpp"
#include "src/base/text.hpp"

namespace foretell::checks {
namespace {

std::string waits_of(std::uint64_t count, std::uint64_t reads) {
  if (count == 0) {
    return "waits of the host, though not in every step";
  }
  std::string what = format_counted(count, "wait") + " a step";
  if (reads >= count) {
    what += count == 1 ? ", reading a value" : ", each reading a value";
  } else if (reads > 0) {
    what += fmt::format(", {} of them reading a value", format_count(reads));
  }
  return what;
}

Finding run(const View& view) {
  if (const auto why = unknown_step(view)) {
    return found(Verdict::Unknown, *why);
  }
  const timeline::HostSyncs& syncs = view.timeline.syncs;
  const std::int64_t idle = idle_ns(view, timeline::IdleClass::Sync);
  const auto count = static_cast<std::uint64_t>(syncs.count.per_step);
  Finding finding;
  finding.verdict = verdict_of(view, idle);
  finding.ceiling = ceiling_of(view, idle);
  finding.evidence = {
      measured("syncs_per_step", static_cast<double>(count)),
      measured("host_reads_per_step", static_cast<double>(syncs.host_reads.per_step)),
      measured("wait_ns_per_step", static_cast<double>(syncs.wait_ns.per_step)),
      measured("busy_ns_in_wait_per_step", static_cast<double>(syncs.busy_ns.per_step)),
      derived("sync_idle_ns", static_cast<double>(idle)),
      derived("idle_ns_per_sync", count > 0 ? static_cast<double>(idle) / static_cast<double>(count) : 0),
      measured("closing_sync_ns", static_cast<double>(syncs.closing_sync_ns)),
  };
  const std::uint64_t steps = std::max<std::uint64_t>(view.timeline.steps.steady, 1);
  for (const timeline::HostSyncGroup& group : syncs.groups) {
    if (finding.examples.size() == kMostExamples) {
      break;
    }
    const timeline::HostSync& longest = syncs.all[group.example];
    std::string what(view.profile.text(group.call_name));
    if (group.op_name != StringId::Empty) {
      what += fmt::format(" in {}", view.profile.text(group.op_name));
    }
    if (longest.last_kernel != profile::kNoRow) {
      what += fmt::format(
          " after {}",
          timeline::short_kernel_name(view.profile.text(view.profile.activities.name[longest.last_kernel])));
    }
    finding.examples.push_back(
        {.what = std::move(what),
         .where = group.where,
         .id = view.profile.api_calls.correlation[longest.call] > 0
                   ? fmt::format("correlation {}", view.profile.api_calls.correlation[longest.call])
                   : std::string(),
         .count = (static_cast<std::uint64_t>(group.count.steady) + steps - 1) / steps,
         .time_ns = group.idle_ns.steady / static_cast<std::int64_t>(steps)});
  }
  if (count == 0 && idle == 0) {
    finding.reason =
        syncs.closing_sync_ns > 0
            ? "the host does not wait inside the step; the closing synchronisation is the profiler's"
            : "the host does not wait for the device inside the step";
  } else if (finding.verdict == Verdict::Clear && count == 0) {
    finding.reason = fmt::format("the host waits in fewer than half of the steps: {} idle ({} of the step)",
                                 format_duration(idle), format_share(share_of_step(view, idle)));
  } else if (finding.verdict == Verdict::Clear) {
    finding.reason = fmt::format(
        "the host waits {} a step for {}, of which the device works {}: {} idle ({} of the step), so the {} "
        "{}",
        count == 1 ? std::string("once") : format_counted(count, "time"),
        format_duration(syncs.wait_ns.per_step), format_duration(syncs.busy_ns.per_step),
        format_duration(idle), format_share(share_of_step(view, idle)), count == 1 ? "wait is" : "waits are",
        share_of_step(view, idle) < kBindsShare / 10 ? "harmless" : "no large loss");
  } else {
    finding.reason = fmt::format(
        "{}: the device runs dry and is idle {} of {} ({}) until the host has issued anew",
        waits_of(count, static_cast<std::uint64_t>(syncs.host_reads.per_step)), format_duration(idle),
        format_duration(step_ns(view)), format_share(share_of_step(view, idle)));
  }
  if (count > 0) {
    finding.reason += fmt::format("; {} also cuts a CUDA graph", count == 1 ? "it" : "each");
  }
  finding.reasoning = {
      "A wait costs what the device is idle in it and behind it: had the host not waited, it would have "
      "issued ahead. "
      "The time the device works during the wait belongs to the kernels before it.",
      fmt::format("Per step {} of {}; the device works {} of it.", format_counted(count, "wait"),
                  format_duration(syncs.wait_ns.per_step), format_duration(syncs.busy_ns.per_step)),
      fmt::format("Idle in waits and until the queue is filled again: {}. Ceiling: {:.2f}x.",
                  format_duration(idle), *finding.ceiling),
      "A closing device synchronisation behind the last launch is the profiler's own and not counted.",
  };
  return finding;
}

}  // namespace

extern const Check kHostSyncs;
const Check kHostSyncs{
    "host_syncs", "Does the host wait for the device?",
    "keep values on the device (.item(), .cpu(), print and nonzero() wait); read them every 10 to 20 "
    "steps, or copy with non_blocking=True into pinned memory",
    "sync", run};

}  // namespace foretell::checks
