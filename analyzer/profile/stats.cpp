// SPDX-License-Identifier: Apache-2.0
#include "analyzer/profile/stats.hpp"

#include "src/base/text.hpp"

namespace foretell::profile {
namespace {

constexpr std::array kStats{
    StatInfo{Stat::StreamEndsEarly, "stream_ends_early", Severity::Loss, "compressed stream ends early"},
    StatInfo{Stat::StreamDamaged, "stream_damaged", Severity::Damage,
             "compressed stream is damaged; reading stopped there"},
    StatInfo{Stat::ChecksumMismatch, "checksum_mismatch", Severity::Damage,
             "compressed bytes fail their checksum"},
    StatInfo{Stat::TrailingBytes, "trailing_bytes", Severity::Repaired,
             "bytes after the end of the trace were ignored"},
    StatInfo{Stat::TrailingDocument, "trailing_document", Severity::Loss,
             "another document follows the end of the trace and was not read"},
    StatInfo{Stat::NonFiniteValues, "non_finite_values", Severity::Repaired,
             "{} non-finite value(s) in args ignored"},
    StatInfo{Stat::StringsRepaired, "strings_repaired", Severity::Repaired, "{} string(s) repaired"},
    StatInfo{Stat::TrailingCommas, "trailing_commas", Severity::Repaired, "a trailing comma was accepted"},
    StatInfo{Stat::MissingCommas, "missing_commas", Severity::Repaired,
             "{} comma(s) between events (is|are) missing"},
    StatInfo{Stat::MissingArrayEnd, "missing_array_end", Severity::Repaired,
             "the closing ] is missing, which the array form allows"},
    StatInfo{Stat::FileEndsEarly, "file_ends_early", Severity::Loss, "file ends before its closing bracket"},
    StatInfo{Stat::EventsDropped, "events_dropped", Severity::Loss, "{} event(s) dropped"},
    StatInfo{Stat::NotAnObject, "not_an_object", Severity::Loss, "{} event(s) (is|are) no object"},
    StatInfo{Stat::MissingTimestamp, "missing_timestamp", Severity::Loss, "{} event(s) without a time stamp"},
    StatInfo{Stat::BadTimestamp, "bad_timestamp", Severity::Loss,
             "{} event(s) without a readable time stamp"},
    StatInfo{Stat::TextTimestamps, "text_timestamps", Severity::Repaired,
             "times are given as text in {} event(s); read exactly"},
    StatInfo{Stat::MissingDuration, "missing_duration", Severity::Loss,
             "{} complete event(s) without a duration; taken as 0"},
    StatInfo{Stat::NegativeDuration, "negative_duration", Severity::Loss,
             "{} event(s) with a negative duration; taken as 0 on the time axis"},
    StatInfo{Stat::UntimedActivities, "untimed_activities", Severity::Loss,
             "{} device record(s) have no timing"},
    StatInfo{Stat::MissingPhase, "missing_phase", Severity::Loss, "{} event(s) without a phase"},
    StatInfo{Stat::UnreadRanges, "unread_ranges", Severity::Loss,
             "{} begin or end event(s) of device or API records, which are read as complete events only"},
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
std::string sentence_of(const StatInfo& info, std::uint64_t count) {
  std::string text(info.sentence);
  const auto replace = [&](std::string_view what, std::string_view with) {
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size())) {
      text.replace(at, what.size(), with);
    }
  };
  replace("{}", format_count(count));
  replace("(s)", count == 1 ? "" : "s");
  replace("(is|are)", count == 1 ? "is" : "are");
  return text;
}

}  // namespace foretell::profile
