// SPDX-License-Identifier: Apache-2.0
#include "analyzer/profile/stats.hpp"

namespace foretell::profile {
namespace {

constexpr std::array kStats{
    StatInfo{Stat::StreamEndsEarly, "stream_ends_early", Severity::Loss, "compressed stream ends early"},
    StatInfo{Stat::StreamDamaged, "stream_damaged", Severity::Damage,
             "compressed stream is damaged; reading stopped there"},
    StatInfo{Stat::ChecksumMismatch, "checksum_mismatch", Severity::Damage,
             "compressed bytes fail their checksum"},
    StatInfo{Stat::TrailingBytes, "trailing_bytes", Severity::Info, "bytes after the end were ignored"},
    StatInfo{Stat::NonFiniteValues, "non_finite_values", Severity::Repaired,
             "{} non-finite or bare-word value(s) in args ignored"},
    StatInfo{Stat::StringsRepaired, "strings_repaired", Severity::Repaired, "{} string(s) repaired"},
    StatInfo{Stat::TrailingCommas, "trailing_commas", Severity::Repaired, "a trailing comma was accepted"},
    StatInfo{Stat::MissingArrayEnd, "missing_array_end", Severity::Repaired,
             "the closing ] is missing, which the array form allows"},
    StatInfo{Stat::FileEndsEarly, "file_ends_early", Severity::Loss, "file ends before its closing bracket"},
    StatInfo{Stat::EventsDropped, "events_dropped", Severity::Loss, "{} event(s) dropped"},
    StatInfo{Stat::NotAnObject, "not_an_object", Severity::Loss, "{} event(s) were not an object"},
    StatInfo{Stat::MissingTimestamp, "missing_timestamp", Severity::Loss, "{} event(s) without a time stamp"},
    StatInfo{Stat::BadTimestamp, "bad_timestamp", Severity::Loss, "{} event(s) with an unreadable time stamp"},
    StatInfo{Stat::TextTimestamps, "text_timestamps", Severity::Info,
             "{} event(s) give times as text; read exactly"},
    StatInfo{Stat::MissingDuration, "missing_duration", Severity::Loss,
             "{} complete event(s) without a duration; taken as 0"},
    StatInfo{Stat::NegativeDuration, "negative_duration", Severity::Loss,
             "{} event(s) with a negative duration; taken as 0 on the time axis"},
    StatInfo{Stat::UntimedActivities, "untimed_activities", Severity::Loss,
             "{} device record(s) have no timing"},
    StatInfo{Stat::UnmatchedBegin, "unmatched_begin", Severity::Loss, "{} begin event(s) without an end"},
    StatInfo{Stat::UnmatchedEnd, "unmatched_end", Severity::Loss, "{} end event(s) without a begin"},
    StatInfo{Stat::UnknownCategory, "unknown_category", Severity::Info,
             "{} complete event(s) of a category that is not known"},
    StatInfo{Stat::OtherPhases, "other_phases", Severity::Info,
             "{} event(s) of a phase that carries no duration"},
    StatInfo{Stat::BookkeepingRows, "bookkeeping_rows", Severity::Info,
             "{} bookkeeping row(s) of the profiler left out of all sums"},
    StatInfo{Stat::ClippedChildren, "clipped_children", Severity::Info,
             "{} host op(s) end after their parent; clipped for self time"},
    StatInfo{Stat::FlowStarts, "flow_starts", Severity::Info, "{} flow start(s)"},
    StatInfo{Stat::FlowEnds, "flow_ends", Severity::Info, "{} flow end(s)"},
    StatInfo{Stat::DanglingFlows, "dangling_flows", Severity::Info, "{} flow id(s) with only one end"},
};
static_assert(kStats.size() == static_cast<std::size_t>(Stat::kCount));
static_assert([] {
  for (std::size_t i = 0; i < kStats.size(); ++i) {
    if (static_cast<std::size_t>(kStats[i].stat) != i) {
      return false;
    }
  }
  return true;
}());

}  // namespace

std::span<const StatInfo> all_stats() { return kStats; }
const StatInfo& info(Stat stat) { return kStats[static_cast<std::size_t>(stat)]; }

}  // namespace foretell::profile
