// SPDX-License-Identifier: Apache-2.0
#include "analyzer/timeline/integrity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "analyzer/timeline/recipe.hpp"
#include "analyzer/timeline/step_doubt.hpp"
#include "src/base/saturate.hpp"
#include "src/base/text.hpp"

namespace foretell::timeline {
namespace {

using namespace profile;

constexpr double kLinkedShareWhole = 0.99;  // below this launch statistics do not speak for all kernels
// Whole traces keep at least 13 % of the external ids between their first and last op, sampled ones 1.4 %
// (measured on recorded traces of both kinds).
constexpr double kSampledIdShare = 0.05;
constexpr std::uint64_t kFewestOpsToTell = 100;
constexpr double kWaitExplained = 0.5;
// No launch or query of a warm device takes that long; loading one module takes about 50 us, a context
// seconds.
constexpr std::int64_t kShortestSetupNs = 50'000'000;
constexpr double kLaunchesWithoutRecord = 0.01;  // the mirror of kLinkedShareWhole

// What to do differently so that a counter of loss stays 0.
Recipe recipe_for(Stat stat) {
  return stat == Stat::MissingDuration || stat == Stat::NegativeDuration ? Recipe::CurrentVersions
                                                                         : Recipe::WholeFile;
}

class Judge {
 public:
  explicit Judge(const Evidence& evidence) : e_(evidence), p_(evidence.profile) {}

  Integrity run() {
    records();
    device_side();
    clocks();
    marks();
    durations();
    graphs();
    distortion();
    setup();
    if (out_.step_doubt.empty()) {
      out_.step_doubt = doubt_of_single_events(p_, e_);
    }
    counters();
    return std::move(out_);
  }

 private:
  // `line` of the recipe would have avoided it.
  void reason(Verdict at_least, Recipe line, const std::string& text) {
    out_.verdict = std::max(out_.verdict, at_least);
    out_.reasons.push_back(fmt::format("{} [{}]", text, recipe_id(line)));
  }
  void note(std::string text) { out_.notes.push_back(std::move(text)); }
  [[nodiscard]] std::uint64_t stat(Stat which) const { return p_.stats[which]; }

  // Every counter of loss limits what may be concluded, every repair is told; some in words of their own.
  void records() {
    if (stat(Stat::ChecksumMismatch) > 0 || stat(Stat::StreamDamaged) > 0) {
      reason(Verdict::Unusable, Recipe::WholeFile,
             "the compressed stream is damaged: no number of this file can be trusted");
    }
    if (!p_.info.first_ns && stat(Stat::UntimedActivities) == 0) {
      reason(Verdict::Unusable, Recipe::ShortWindow, "no timed event: nothing can be concluded");
    }
    for (const StatInfo& row : all_stats()) {
      const std::uint64_t count = stat(row.stat);
      if (count == 0 || row.severity == Severity::Info || row.severity == Severity::Damage) {
        continue;
      }
      const std::string sentence = own_words(row.stat).value_or(sentence_of(row, count));
      if (sentence.empty()) {
        continue;
      }
      if (row.severity == Severity::Loss) {
        reason(Verdict::Partial, recipe_for(row.stat), sentence + ": totals are lower bounds");
      } else {
        note(sentence);
      }
    }
    if (stat(Stat::ClippedChildren) > 0) {
      note(fmt::format("{} after their parent, by up to {}; clipped for self time",
                       format_counted(stat(Stat::ClippedChildren), "host op ends", "host ops end"),
                       format_duration(e_.ops.largest_overrun_ns)));
    }
    if (!p_.info.unsupported_accelerator.empty()) {
      reason(
          Verdict::Partial, Recipe::Activities,
          fmt::format("activity of another accelerator ({}) is left out", p_.info.unsupported_accelerator));
    }
    sampling();
  }

  // nullopt: the table's sentence does; empty: said elsewhere.
  [[nodiscard]] std::optional<std::string> own_words(Stat which) const {
    if (which == Stat::FileEndsEarly && !p_.info.end_note.empty()) {
      return fmt::format("{}; trace incomplete", p_.info.end_note);
    }
    if (which == Stat::EventsDropped) {
      return fmt::format("{} dropped as unreadable, {} of {}", format_counted(stat(which), "event"),
                         format_count(stat(which)), format_count(p_.info.events + stat(which)));
    }
    if (which == Stat::StringsRepaired && !p_.info.first_repair_where.empty()) {
      return fmt::format("{} repaired, the first at {}", format_counted(stat(which), "string"),
                         p_.info.first_repair_where);
    }
    if (which == Stat::UntimedActivities) {
      return std::string();
    }
    return std::nullopt;
  }

  // Thinned traces keep the ids of the ops they keep.
  void sampling() {
    std::uint64_t ops = 0;
    RecordId first = INT64_MAX;
    RecordId last = 0;
    for (std::size_t row = 0; row < p_.host_ops.size(); ++row) {
      const RecordId id = p_.host_ops.external_id[row];
      if (p_.host_ops.kind[row] == HostOpKind::Operator && id > 0) {
        ++ops;
        first = std::min(first, id);
        last = std::max(last, id);
      }
    }
    if (ops < kFewestOpsToTell) {
      return;
    }
    const double share = static_cast<double>(ops) / static_cast<double>(last - first + 1);
    if (share < kSampledIdShare) {
      out_.step_doubt = "the trace is sampled, so gaps between its records say nothing";
      reason(Verdict::Partial, Recipe::WholeFile,
             fmt::format(
                 "sampled trace: about {} of the ops between the first and the last are present; counts, "
                 "gaps and host times can't be concluded",
                 format_share(share)));
    }
  }

  void device_side() {
    const std::uint64_t launches = e_.facts.launch_calls + e_.facts.graph_launches;
    const std::uint64_t device_records = e_.facts.kernels + e_.facts.memcpys + e_.facts.memsets;
    if (e_.facts.kernels == 0 && launches > 0) {
      reason(
          Verdict::Unusable, p_.info.counter_ranges > 0 ? Recipe::OneProfiler : Recipe::Activities,
          fmt::format(
              "device activity not collected: {} but no kernel record{}; neither device time nor idle time "
              "can be concluded",
              format_counted(launches, "launch", "launches"),
              p_.info.counter_ranges > 0 ? " (hardware-counter ranges were recorded instead)"
                                         : not_understood()));
      return;
    }
    if (device_records == 0) {
      reason(Verdict::Partial, p_.info.legacy_profiler ? Recipe::CurrentVersions : Recipe::Activities,
             p_.info.legacy_profiler
                 ? "legacy CPU-only trace: no device events, launch analysis not possible"
                 : "CPU-only trace: no device events; nothing about launches or the device can be concluded");
      return;
    }
    std::uint64_t untimed = 0;
    for (std::size_t row = 0; row < p_.activities.size(); ++row) {
      untimed += p_.activities.kind[row] == ActivityKind::Kernel && !p_.activities.timed[row] ? 1 : 0;
    }
    untimed_kernels_ = untimed;
    if (untimed > 0) {
      reason(Verdict::Partial, Recipe::ShortWindow,
             fmt::format("{} of {} {} no timing; GPU totals are lower bounds", format_count(untimed),
                         format_counted(e_.facts.kernels, "kernel"), untimed == 1 ? "has" : "have"));
    }
    if (stat(Stat::UntimedActivities) > untimed) {
      reason(Verdict::Partial, Recipe::ShortWindow,
             fmt::format("{} without timing: GPU totals are lower bounds",
                         format_counted(stat(Stat::UntimedActivities) - untimed, "copy, set or wait",
                                        "copies, sets or waits")));
    }
    if (e_.facts.linked_share && *e_.facts.linked_share < kLinkedShareWhole) {
      const std::uint64_t unlinked = e_.facts.kernels - e_.links.linked_kernels;
      reason(
          Verdict::Partial, Recipe::Synchronize,
          fmt::format("{} of {} without a launch (before the window, or lost): they count for busy time, but "
                      "launch costs can't be concluded for them",
                      format_count(unlinked), format_counted(e_.facts.kernels, "kernel")));
    } else if (e_.links.linked_kernels < e_.facts.kernels) {
      note(fmt::format("{} without a launch (before the window, or lost)",
                       format_counted(e_.facts.kernels - e_.links.linked_kernels, "kernel")));
    }
    if (!e_.steps.device_time_known) {
      reason(Verdict::Partial, Recipe::Schedule,
             "per-step timing not recoverable: most kernels neither link to a launch nor run inside a step; "
             "totals only");
    }
    if (e_.links.ambiguous_activities > 0) {
      reason(Verdict::Partial, Recipe::OneFilePerRank,
             fmt::format(
                 "{} with a correlation id that several calls share (do the ids repeat between processes?): "
                 "ambiguous, not linked, so launch costs can't be concluded for them",
                 format_counted(e_.links.ambiguous_activities, "device record")));
    }
    if (static_cast<double>(e_.links.launches_without_activity) >
        kLaunchesWithoutRecord * static_cast<double>(launches)) {
      if (e_.links.launches_without_activity * 2 > launches) {
        out_.step_doubt = "most launches have no device record: a stream capture, no run";
      }
      reason(Verdict::Partial, Recipe::GraphCapture,
             fmt::format(
                 "{} of {} launches have no device record: a stream capture (nothing runs while a graph is "
                 "recorded) or lost records; device and idle time can't be concluded",
                 format_count(e_.links.launches_without_activity), format_count(launches)));
    }
  }

  // What may have been a device record.
  [[nodiscard]] std::string not_understood() const {
    const std::uint64_t rows =
        stat(Stat::UnknownCategory) + stat(Stat::MissingPhase) + stat(Stat::UnreadRanges);
    return rows == 0
               ? std::string()
               : fmt::format(" ({} not understood)", format_counted(rows, "record was", "records were"));
  }

  void marks() {
    if (e_.steps.overlapping_marks > 0) {
      note(fmt::format(
          "{} the next one: cut where that begins",
          format_counted(e_.steps.overlapping_marks, "step mark overlaps", "step marks overlap")));
    }
  }

  void clocks() {
    if (e_.launches.skewed > 0) {
      note(fmt::format("clock skew up to {}, {} affected: launch delay there is unresolved and taken as 0",
                       format_duration(e_.launches.skew_max_ns),
                       format_counted(e_.launches.skewed, "launch", "launches")));
    }
    if (e_.launches.clock_offset_ns) {
      reason(Verdict::Partial, Recipe::CurrentVersions,
             fmt::format(
                 "device clock offset about {} relative to host (kernels start after the synchronization "
                 "that waited for them returned): gaps between host and device rows are unreliable",
                 format_duration(*e_.launches.clock_offset_ns)));
    }
  }

  void durations() {
    if (e_.audit.corrupt > 0) {
      reason(Verdict::Partial, Recipe::CurrentVersions,
             fmt::format(
                 "{}, worst in '{}' ({}): it runs over later work on its stream and is clipped to the next "
                 "start; kernel sum {} as recorded, {} clipped",
                 format_counted(e_.audit.corrupt, "corrupt duration"),
                 ellipsize(printable(p_.text(p_.activities.name[e_.audit.worst])), 60),
                 format_duration(p_.activities.duration_ns[e_.audit.worst]),
                 format_duration(e_.facts.kernel_sum_ns), format_duration(e_.audit.kernel_sum_ns)));
    }
    if (e_.audit.overlapped_pairs > 0) {
      note(fmt::format("{} on one stream, overlap {} (programmatic dependent launch or bad stamps)",
                       format_counted(e_.audit.overlapped_pairs, "overlapped pair"),
                       format_duration(e_.audit.overlap_ns)));
    }
  }

  void graphs() {
    if (e_.graphs.launches > 0 && e_.graphs.kernels > 0) {
      note(fmt::format(
          "{} of device time is inside {}{}; op names and shapes are unknown at replay",
          format_share(e_.graphs.device_time_share), format_counted(e_.graphs.launches, "graph replay"),
          e_.graphs.min_kernels_per_replay == e_.graphs.max_kernels_per_replay
              ? fmt::format(" of {}", format_counted(e_.graphs.kernels_per_replay, "kernel"))
              : fmt::format(" of {} to {} kernels", format_count(e_.graphs.min_kernels_per_replay),
                            format_count(e_.graphs.max_kernels_per_replay))));
    }
    if (e_.graphs.wait_explained_share && *e_.graphs.wait_explained_share < kWaitExplained) {
      reason(Verdict::Partial, Recipe::GraphCapture,
             fmt::format(
                 "recorded device work explains only {} of the wait ({}) behind graph launches: loop nodes "
                 "are recorded once, so device time inside replays can't be concluded",
                 format_share(*e_.graphs.wait_explained_share), format_duration(e_.graphs.wait_ns)));
    }
  }

  // Stacks and shapes make the host slow: 1.3x to 2x are published, 0.76 -> 1.19 s per step was seen.
  void distortion() {
    const RecordedExtras extras = recorded_extras(p_);
    if (e_.split.wall_used || !extras.any()) {
      return;
    }
    reason(Verdict::Partial, Recipe::BareTime,
           fmt::format(
               "recorded with {}: host times are inflated, so idle time and launch cost are upper bounds and "
               "the step time without the profiler can't be concluded (--wall-ms gives it)",
               extras.names()));
  }

  // Calls that only the first use of a device makes long: queries, and launches that load code.
  void setup() {
    const ApiCalls& calls = p_.api_calls;
    std::int64_t sum_ns = 0;
    std::uint32_t longest = kNoRow;
    for (std::uint32_t call = 0; call < calls.size(); ++call) {
      const bool may_be_setup =
          calls.kind[call] == ApiKind::Other || calls.kind[call] == ApiKind::KernelLaunch;
      if (!may_be_setup || calls.duration_ns[call] < kShortestSetupNs ||
          !in_steady_step(calls.start_ns[call])) {
        continue;
      }
      add_saturated(sum_ns, calls.duration_ns[call]);
      longest = longest == kNoRow || calls.duration_ns[call] > calls.duration_ns[longest] ? call : longest;
    }
    std::int64_t window_ns = 0;
    for (const Step& step : e_.steps.all) {
      add_saturated(window_ns, step.warmup ? 0 : step.duration_ns);
    }
    if (static_cast<double>(sum_ns) > kDoubtfulShare * static_cast<double>(window_ns)) {
      out_.step_doubt = "initialisation lies inside the window: record after some warm-up steps";
      reason(
          Verdict::Partial, Recipe::Schedule,
          fmt::format("initialisation inside the window: {} in calls that only a first use makes long ({} in "
                      "one {}); the step, its idle time and launch cost can't be concluded",
                      format_duration(sum_ns), format_duration(calls.duration_ns[longest]),
                      printable(p_.text(calls.name[longest]))));
    }
  }
  [[nodiscard]] bool in_steady_step(std::int64_t time_ns) const {
    const auto next = std::ranges::upper_bound(e_.steps.all, time_ns, {}, &Step::start_ns);
    if (next == e_.steps.all.begin()) {
      return false;
    }
    const Step& step = *std::prev(next);
    return !step.warmup && time_ns < step.start_ns + step.duration_ns;
  }

  void counters() {
    for (const StatInfo& row : all_stats()) {
      count(row.id, static_cast<std::int64_t>(stat(row.stat)));
    }
    count("untimed_kernels", static_cast<std::int64_t>(untimed_kernels_));
    count("kernels_without_launch", static_cast<std::int64_t>(e_.facts.kernels - e_.links.linked_kernels));
    count("ambiguous_activities", static_cast<std::int64_t>(e_.links.ambiguous_activities));
    count("launches_without_activity", static_cast<std::int64_t>(e_.links.launches_without_activity));
    count("corrupt_durations", static_cast<std::int64_t>(e_.audit.corrupt));
    if (e_.audit.corrupt > 0) {
      count("clipped_kernel_sum_ns", e_.audit.kernel_sum_ns);
      count("clipped_device_busy_ns", e_.audit.device_busy_ns);
    }
    count("overlapped_pairs", static_cast<std::int64_t>(e_.audit.overlapped_pairs));
    count("overlap_ns", e_.audit.overlap_ns);
    count("clock_skew_launches", static_cast<std::int64_t>(e_.launches.skewed));
    count("clock_skew_max_ns", e_.launches.skew_max_ns);
    count("largest_overrun_ns", e_.ops.largest_overrun_ns);
    count("profiler_overhead_ns", e_.ops.overhead_ns);
  }
  void count(std::string_view key, std::int64_t value) {
    if (value != 0) {
      out_.counters.emplace_back(key, value);
    }
  }

  const Evidence& e_;
  const Profile& p_;
  Integrity out_;
  std::uint64_t untimed_kernels_ = 0;
};

}  // namespace

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::Complete: return "complete";
    case Verdict::Partial: return "partial";
    case Verdict::Unusable: return "unusable";
  }
  return "unusable";
}

RecordedExtras recorded_extras(const Profile& profile) {
  const auto holds_text = [](const Column<StringId>& column) {
    return std::ranges::any_of(column, [](StringId id) { return id != StringId::Empty; });
  };
  const auto& kinds = profile.host_ops.kind.values();
  return {.stacks = profile.info.with_stack.value_or(false) ||
                    std::ranges::find(kinds, HostOpKind::PythonFunction) != kinds.end() ||
                    holds_text(profile.op_details.call_stack),
          .shapes = profile.info.record_shapes.value_or(false) || holds_text(profile.op_details.input_dims)};
}

Integrity judge(const Evidence& evidence) { return Judge(evidence).run(); }

}  // namespace foretell::timeline
