// SPDX-License-Identifier: Apache-2.0
// Copies between host and device, which hold the host where its memory is ordinary: time in which the device
// only copies, or waits for the caller of a copy / step.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "analyzer/checks/measure.hpp"
#include "analyzer/timeline/copies.hpp"
#include "analyzer/timeline/source_lines.hpp"
#include "src/base/saturate.hpp"
#include "src/base/text.hpp"

namespace foretell::checks {
namespace {

using namespace profile;

struct Copies {
  std::uint64_t count = 0;
  double bytes = 0;
  std::int64_t time_ns = 0;
  std::uint32_t longest = kNoRow;
};

bool is_between_host_and_device(std::string_view name) {
  const timeline::CopyDirection direction = timeline::copy_direction(name);
  return direction == timeline::CopyDirection::HostToDevice ||
         direction == timeline::CopyDirection::DeviceToHost;
}

// Copies between host and device in the steady steps, by name, which says direction and kind of memory:
// "Memcpy HtoD (Pageable -> Device)".
std::map<StringId, Copies> host_copies(const View& view) {
  std::map<StringId, Copies> copies;
  const DeviceActivities& activities = view.profile.activities;
  for (std::uint32_t row = 0; row < activities.size(); ++row) {
    if (activities.kind[row] != ActivityKind::Memcpy || !activities.timed[row] ||
        !is_between_host_and_device(view.profile.text(activities.name[row]))) {
      continue;
    }
    const std::size_t step =
        timeline::step_of_activity(view.profile, view.timeline.links, view.timeline.steps, row);
    if (step >= view.timeline.steps.all.size() || view.timeline.steps.all[step].warmup) {
      continue;
    }
    Copies& of = copies[activities.name[row]];
    ++of.count;
    of.bytes += static_cast<double>(std::max<std::int64_t>(activities.bytes[row], 0));
    add_saturated(of.time_ns, view.timeline.audit.duration_ns[row]);
    of.longest = of.longest == kNoRow || activities.duration_ns[row] > activities.duration_ns[of.longest]
                     ? row
                     : of.longest;
  }
  return copies;
}

Finding run(const View& view) {
  if (const auto why = unknown_step(view)) {
    return found(Verdict::Unknown, *why);
  }
  const double steps = static_cast<double>(std::max<std::uint64_t>(view.timeline.steps.steady, 1));
  Copies pageable;
  Copies all;
  Finding finding;
  for (const auto& [name, copies] : host_copies(view)) {
    for (Copies* const sum :
         {&all, timeline::is_pageable_copy(view.profile.text(name)) ? &pageable : nullptr}) {
      if (sum != nullptr) {
        sum->count += copies.count;
        sum->bytes += copies.bytes;
        add_saturated(sum->time_ns, copies.time_ns);
      }
    }
    const std::uint32_t call = view.timeline.links.call_of_activity[copies.longest];
    const RecordId correlation = view.profile.activities.correlation[copies.longest];
    finding.examples.push_back(
        {.what = std::string(view.profile.text(name)),
         .where = call == kNoRow ? std::string()
                                 : timeline::source_line_of_call(view.profile, view.timeline.links, call),
         .id = correlation > 0 ? fmt::format("correlation {}", correlation) : std::string(),
         .count = static_cast<std::uint64_t>(std::llround(static_cast<double>(copies.count) / steps)),
         .time_ns = static_cast<std::int64_t>(static_cast<double>(copies.time_ns) / steps)});
  }
  std::ranges::stable_sort(finding.examples, std::ranges::greater{}, &Example::time_ns);
  for (const Example& place : idle_examples(view, {timeline::IdleClass::Copy})) {
    finding.examples.push_back(place);
  }
  finding.examples.resize(std::min(finding.examples.size(), kMostExamples));

  const auto per_step = [&](std::int64_t ns) {
    return static_cast<std::int64_t>(static_cast<double>(ns) / steps);
  };
  const std::int64_t held = idle_ns(view, timeline::IdleClass::Copy);
  const std::int64_t exposed = std::min(
      per_step(all.time_ns), view.timeline.split.busy[static_cast<std::size_t>(timeline::BusyClass::Copies)]);
  const std::int64_t lost = held + exposed;
  finding.verdict = verdict_of(view, lost);
  finding.ceiling = ceiling_of(view, lost);
  finding.evidence = {
      measured("host_copies_per_step", static_cast<double>(all.count) / steps),
      measured("host_copy_ns_per_step", static_cast<double>(per_step(all.time_ns))),
      measured("pageable_copies_per_step", static_cast<double>(pageable.count) / steps),
      measured("pageable_bytes_per_step", pageable.bytes / steps),
      measured("pageable_copy_ns_per_step", static_cast<double>(per_step(pageable.time_ns))),
      derived("exposed_copy_ns", static_cast<double>(exposed)),
      derived("copy_idle_ns", static_cast<double>(held)),
  };
  if (all.count == 0 && held == 0) {
    finding.reason = "no copy between host and device in the step";
  } else if (exposed == 0 && held > 0) {
    finding.reason = fmt::format("the device is idle {} of the {} step while the host is held by a copy call",
                                 format_duration(held), format_duration(step_ns(view)));
  } else {
    const double mean_copies = static_cast<double>(all.count) / steps;
    const bool one = mean_copies == 1;
    finding.reason = fmt::format(
        "{} a step ({}) {} {} in {}; nothing else runs for {}, and the device is idle {} around "
        "{} ({} of the {} step)",
        mean_counted(mean_copies, "host copy", "host copies"),
        mean_counted(static_cast<double>(pageable.count) / steps, "pageable", "pageable"),
        one ? "moves" : "move", format_bytes(static_cast<std::uint64_t>(all.bytes / steps)),
        format_duration(per_step(all.time_ns)), format_duration(exposed), format_duration(held),
        one ? "it" : "them", format_share(share_of_step(view, lost)), format_duration(step_ns(view)));
  }
  if (held > exposed) {
    finding.remedy =
        "a copy call waits until its data is there: copy with non_blocking=True into pinned memory, and "
        "synchronize "
        "only when the value is needed";
  } else if (pageable.time_ns < all.time_ns - pageable.time_ns) {
    finding.remedy =
        "the memory is pinned already: copy on a stream of its own, ahead of use, so that kernels hide it";
  }
  finding.reasoning = {
      "A copy from or to pageable memory goes through a staging buffer and holds its caller, whatever "
      "non_blocking "
      "says; the record's name tells the kind of memory. Such copies can't be captured in a CUDA graph.",
      fmt::format(
          "Time in which nothing but copies runs counts as far as they go between host and device ({}), and "
          "idle time in which the host was held by a copy call ({}). Ceiling: {:.2f}x.",
          format_duration(exposed), format_duration(held), *finding.ceiling),
  };
  return finding;
}

}  // namespace

extern const Check kPageableCopies;
const Check kPageableCopies{
    "pageable_copies", "Do copies hold the host?",
    "pin the host memory (DataLoader(pin_memory=True), tensor.pin_memory()) and copy with "
    "non_blocking=True",
    "copy", run};

}  // namespace foretell::checks
