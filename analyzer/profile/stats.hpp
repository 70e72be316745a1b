// SPDX-License-Identifier: Apache-2.0
// Named counters of what was odd in a trace. A broken file is an Error; a broken record is counted here and
// reading goes on, so that nothing is lost silently.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace foretell::profile {

enum class Severity : std::uint8_t {
  Info,      // harmless, said for completeness
  Repaired,  // mended or read another way without loss of a number
  Loss,      // something is missing: totals are lower bounds
  Damage,    // bytes can't be trusted
};

enum class Stat : std::uint8_t {
  // container
  StreamEndsEarly,
  StreamDamaged,
  ChecksumMismatch,
  TrailingBytes,
  TrailingDocument,
  // text
  NonFiniteValues,
  StringsRepaired,
  TrailingCommas,
  MissingCommas,
  MissingArrayEnd,
  FileEndsEarly,
  EventsDropped,
  // records
  NotAnObject,
  MissingTimestamp,
  BadTimestamp,
  TextTimestamps,
  MissingDuration,
  NegativeDuration,
  UntimedActivities,
  MissingPhase,
  UnreadRanges,
  UnmatchedBegin,
  UnmatchedEnd,
  UnknownCategory,
  OtherPhases,
  BookkeepingRows,
  // structure
  ClippedChildren,
  FlowStarts,
  FlowEnds,
  DanglingFlows,
  kCount,
};

struct StatInfo {
  Stat stat;
  std::string_view id;  // JSON key in integrity.counters
  Severity severity;
  std::string_view sentence;  // one sentence; "{}" is the count, "(s)" and "(is|are)" follow it
};

// All rows, in enum order.
std::span<const StatInfo> all_stats();
// The sentence for a count: "1 event without a phase", "2 events without a phase".
std::string sentence_of(const StatInfo& info, std::uint64_t count);

class Stats {
 public:
  void count(Stat stat, std::uint64_t times = 1) { counts_[static_cast<std::size_t>(stat)] += times; }
  [[nodiscard]] std::uint64_t operator[](Stat stat) const { return counts_[static_cast<std::size_t>(stat)]; }
  void add(const Stats& other) {
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      counts_[i] += other.counts_[i];
    }
  }

 private:
  std::array<std::uint64_t, static_cast<std::size_t>(Stat::kCount)> counts_{};
};

}  // namespace foretell::profile
