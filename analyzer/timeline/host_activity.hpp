// SPDX-License-Identifier: Apache-2.0
// What a host thread was doing while the device had nothing to do.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/profile/profile.hpp"
#include "analyzer/timeline/intervals.hpp"

namespace foretell::timeline {

// What covers a moment of a thread. Of several, the later one counts: a copy call inside an op inside the
// data loader is a copy call.
enum class HostDoing : std::uint8_t {
  Nothing,  // no record
  Script,   // Python frames only
  Issuing,  // an operator, or a call that is none of those below
  CollectingGarbage,
  Locked,
  Communicating,  // a blocking collective
  Loading,        // the data loader
  ForeignWork,    // another thread, which launches nothing, is in an operator that fills the step
  Compiling,
  Profiling,   // the profiler's own rows
  Copying,     // a copy or set call
  Allocating,  // allocation or free that reaches the driver
  Waiting,     // a synchronisation
  kCount,
};

struct HostStretch {
  std::int64_t begin_ns = 0, end_ns = 0;
  HostDoing doing = HostDoing::Nothing;
};

class HostActivity {
 public:
  // `foreign_ns`: an operator of a thread without launches that lasts at least as long is foreign work.
  HostActivity(const profile::Profile& profile, std::int64_t foreign_ns);

  // Stretches that tile [begin, end) in order; neighbours differ. Valid until the next call.
  const std::vector<HostStretch>& look(std::uint32_t thread, std::int64_t begin_ns, std::int64_t end_ns);

  // The call on `thread` that began before `time_ns` and had not returned by then, or kNoRow.
  [[nodiscard]] std::uint32_t call_at(std::uint32_t thread, std::int64_t time_ns) const;

  // The thread with the most launches; kNoRow: there is none, nor any other thread with calls or ops.
  [[nodiscard]] std::uint32_t main_thread() const { return main_thread_; }
  [[nodiscard]] bool has_records(std::uint32_t thread) const;

 private:
  struct Rows {
    std::uint32_t first = 0, last = 0;  // [first, last)
  };
  struct Edge {
    std::int64_t time_ns = 0;
    HostDoing doing = HostDoing::Nothing;
    int by = 0;
  };

  void put(std::int64_t begin_ns, std::int64_t end_ns, HostDoing doing);
  void put_ops(std::uint32_t thread);
  void put_calls(std::uint32_t thread);
  void put_stretches(const std::vector<Interval>& stretches, HostDoing doing);
  HostDoing doing_of_op(std::uint32_t op);

  const profile::Profile& profile_;
  std::vector<Rows> ops_of_, calls_of_;  // by thread
  // Disjoint, in order:
  std::vector<Interval> profiling_, foreign_;        // whichever thread is looked at
  std::vector<std::vector<Interval>> compiling_of_;  // by thread
  std::vector<std::uint8_t> doing_of_name_;          // by StringId: 0 unknown yet, else HostDoing + 1
  std::uint32_t main_thread_ = profile::kNoRow;

  std::int64_t begin_ns_ = 0, end_ns_ = 0;  // of the stretch looked at
  std::vector<Edge> edges_;
  std::vector<HostStretch> stretches_;
};

}  // namespace foretell::timeline
