// SPDX-License-Identifier: Apache-2.0
// Already graphed: share of kernels inside graph replays; what a replay needs around it.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "analyzer/checks/measure.hpp"
#include "src/base/saturate.hpp"
#include "src/base/text.hpp"

namespace foretell::checks {
namespace {

using namespace profile;

constexpr double kNearlyAll = 0.9;
// A replay costs about two launches and the copies of its inputs: a graph of that few kernels gains nothing.
constexpr std::uint64_t kTooSmall = 3;

// Copies and fills right before replays: device time in them per replay.
struct Prologue {
  std::uint64_t copies = 0;
  std::uint64_t fills = 0;
  double bytes = 0;
  std::int64_t time_ns = 0;
};

Prologue prologue_of(const View& view) {
  const DeviceActivities& activities = view.profile.activities;
  const timeline::Links& links = view.timeline.links;
  Prologue all;
  Prologue pending;
  for (std::uint32_t row = 0; row < activities.size(); ++row) {  // by stream, then time
    if (row > 0 && activities.stream[row] != activities.stream[row - 1]) {
      pending = {};
    }
    const std::uint32_t call = links.call_of_activity[row];
    if (call != kNoRow && view.profile.api_calls.kind[call] == ApiKind::GraphLaunch) {
      all.copies += pending.copies;
      all.fills += pending.fills;
      all.bytes += pending.bytes;
      add_saturated(all.time_ns, pending.time_ns);
      pending = {};
      continue;
    }
    const bool copy = activities.kind[row] == ActivityKind::Memcpy;
    const bool fill = activities.kind[row] == ActivityKind::Memset ||
                      (activities.kind[row] == ActivityKind::Kernel &&
                       view.timeline.classes[row] == timeline::KernelClass::Fill);
    if (copy || fill) {
      pending.copies += copy ? 1 : 0;
      pending.fills += fill ? 1 : 0;
      pending.bytes += static_cast<double>(std::max<std::int64_t>(activities.bytes[row], 0));
      add_saturated(pending.time_ns, view.timeline.audit.duration_ns[row]);
    } else {
      pending = {};
    }
  }
  return all;
}

Finding run(const View& view) {
  const timeline::GraphStats& graphs = view.timeline.graphs;
  const timeline::Recompiles& compilation = view.timeline.compilation;
  if (view.timeline.facts.kernels == 0) {
    return found(Verdict::Unknown, "no kernel is recorded");
  }
  const double share = static_cast<double>(graphs.kernels) / static_cast<double>(view.timeline.facts.kernels);
  const Prologue prologue = prologue_of(view);
  const double replays = static_cast<double>(std::max<std::uint64_t>(graphs.launches, 1));
  const std::string prologue_time =
      format_duration(static_cast<std::int64_t>(static_cast<double>(prologue.time_ns) / replays));
  Finding finding;
  finding.evidence = {
      measured("graph_launches", static_cast<double>(graphs.launches)),
      measured("graph_launches_per_step", static_cast<double>(compilation.graph_launches.per_step)),
      measured("kernels_in_replays_share", share),
      measured("device_time_in_replays_share", graphs.device_time_share),
      measured("kernels_per_replay", static_cast<double>(graphs.kernels_per_replay)),
      measured("copies_before_a_replay", static_cast<double>(prologue.copies) / replays),
      measured("fills_before_a_replay", static_cast<double>(prologue.fills) / replays),
      measured("prologue_ns_per_replay", static_cast<double>(prologue.time_ns) / replays),
  };
  finding.reasoning = {
      "Kernels of a replay carry the correlation id of one graph launch, or a graph id.",
      "Copies and fills right before a replay are what it needs: inputs that are not at a fixed address, and "
      "the state of "
      "the random number generator.",
  };
  if (graphs.launches == 0 && graphs.kernels == 0) {
    finding.verdict = Verdict::Clear;
    finding.reason = "no kernel runs inside a graph replay: all launches are there to be captured";
    return finding;
  }
  if (graphs.kernels + graphs.copies == 0) {
    finding.verdict = Verdict::Unknown;
    finding.reason = fmt::format("{}, but no device record of any: what is inside can't be told",
                                 format_counted(graphs.launches, "graph replay"));
    return finding;
  }
  const bool small = graphs.kernels_per_replay > 0 && graphs.kernels_per_replay <= kTooSmall;
  const bool sometimes = compilation.least_graph_launches == 0 && compilation.most_graph_launches > 0;
  finding.verdict = small || sometimes ? Verdict::Binds : Verdict::Clear;
  if (small) {
    finding.reason = fmt::format(
        "replays of {}: too small to graph{}", format_counted(graphs.kernels_per_replay, "kernel"),
        prologue.time_ns > 0 ? fmt::format("; {} of copies and fills before each", prologue_time)
                             : std::string());
    finding.remedy = "run so few kernels eagerly, or capture more of the step in one graph";
  } else if (sometimes) {
    finding.reason =
        "some steady steps replay a graph and others do not: the shapes of those were not captured, or "
        "capture "
        "was given up";
  } else {
    finding.reason = fmt::format(
        "{} of kernels run inside {}{}", format_share(share),
        graphs.launches > 0 ? format_counted(graphs.launches, "graph replay") : std::string("graph replays"),
        share >= kNearlyAll ? ": CUDA graphs have none left to gain" : ": the rest is launched one by one");
    if (prologue.copies > 0) {
      const double copies = static_cast<double>(prologue.copies) / replays;
      finding.reason += fmt::format("; {} before each {} {}", mean_counted(copies, "copy", "copies"),
                                    copies == 1 ? "takes" : "take", prologue_time);
    }
  }
  return finding;
}

}  // namespace

extern const Check kAlreadyGraphed;
const Check kAlreadyGraphed{"already_graphed", "Does it run as a graph already?",
                            "capture the shapes that fall back to eager (pad the batch to a captured size); "
                            "TORCH_LOGS=cudagraphs says why a graph was skipped",
                            "", run};

}  // namespace foretell::checks
