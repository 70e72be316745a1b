// SPDX-License-Identifier: Apache-2.0
#include "analyzer/whatif/fusion_run.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "src/base/saturate.hpp"

namespace foretell::whatif {
namespace {

using timeline::KernelClass;

// Longest run one kernel may replace: the default limit of the compiler most traces will meet
// (max_fusion_size of Inductor). Longer runs are cut.
constexpr std::size_t kMostMembers = 64;
constexpr double kEqualBytes = 0.01;    // padding and counters of the same tensors
constexpr std::int64_t kAlikeTime = 2;  // neighbours of one size differ by their number of inputs
// What one block reduces with its threads going round 64 times. A larger reduction to one value needs all
// blocks to be done before any of them may go on, so its consumer is another kernel.
constexpr double kOneBlockElements = 65536;

bool trusted(const FusionMember& member) {
  return member.bytes > 0 && member.source != WorkSource::None && member.source != WorkSource::Bandwidth;
}

bool alike_in_time(const FusionMember& a, const FusionMember& b) {
  const auto [least, most] = std::minmax(a.duration_ns, b.duration_ns);
  return least > 0 && most / kAlikeTime <= least && (most / kAlikeTime < least || most % kAlikeTime == 0);
}

bool equal_bytes(const FusionMember& a, const FusionMember& b) {
  return trusted(a) && trusted(b) && std::abs(a.bytes - b.bytes) <= kEqualBytes * std::max(a.bytes, b.bytes);
}

// The same copy again is that of another tensor: no compiler copies what it has just copied.
bool parted(const FusionMember& before, const FusionMember& after) {
  return before.kernel_class == KernelClass::Copy && before.name == after.name;
}

// Kernels between which an op's bytes were divided; what passes between them was never counted.
bool of_one_op(const FusionMember& before, const FusionMember& after) {
  return before.source == WorkSource::Shapes && after.source == WorkSource::Shapes &&
         before.shaped_op != profile::kNoRow && before.shaped_op == after.shaped_op;
}

// `weigh` tells what a member moves: bytes, or its time where bytes are not known.
struct Sums {
  double before = 0, after = 0;
};
template <class Weigh>
Sums sum(const std::vector<FusionMember>& members, Weigh weigh) {
  Sums sums;
  std::size_t end = 0;
  for (std::size_t begin = 0; begin < members.size(); begin = end) {
    end = begin + 1;
    while (end < members.size() && of_one_op(members[end - 1], members[end])) {
      ++end;
    }
    const bool reads_outside = begin == 0 || parted(members[begin - 1], members[begin]);
    const bool writes_outside = end == members.size() || parted(members[end - 1], members[end]);
    for (std::size_t i = begin; i < end; ++i) {
      const TrafficSplit& split = members[i].split;
      const double left =
          (reads_outside ? split.reads : split.side_reads) + (writes_outside ? split.writes : 0);
      sums.before += weigh(members[i]);
      sums.after += weigh(members[i]) * (members[i].lasting ? 1 : left);
    }
  }
  sums.after = std::min(sums.after, sums.before);
  return sums;
}

WorkSource least_trusted(WorkSource a, WorkSource b) {
  return a == WorkSource::None || b == WorkSource::None ? WorkSource::None : std::max(a, b);
}

}  // namespace

std::int64_t gap_between(const FusionMember& before, const FusionMember& after) {
  if (after.start_ns <= before.end_ns) {
    return 0;
  }
  const std::uint64_t gap =
      static_cast<std::uint64_t>(after.start_ns) - static_cast<std::uint64_t>(before.end_ns);
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  return static_cast<std::int64_t>(std::min(gap, kMost));
}

FusionRun::Fit FusionRun::fit_extents(const Extent& next) const {
  if (!whole_.known()) {  // the run began with a reduction of unknown size
    if (next.overlaps(rows_)) {
      return Fit::Rows;
    }
    return is_row_count(rows_, next) ? Fit::Whole : Fit::No;
  }
  if (next.overlaps(whole_)) {
    const bool one_value = rows_.known() && rows_.high <= 1;
    return one_value && whole_.low > kOneBlockElements ? Fit::No : Fit::Whole;
  }
  if (reduced_ && is_row_count(next, whole_)) {
    return !rows_.known() || next.overlaps(rows_) ? Fit::Rows : Fit::No;
  }
  return Fit::No;
}

FusionRun::Fit FusionRun::fit(const FusionMember& next) const {
  const FusionMember& last = members_.back();
  if (next.kernel_class == KernelClass::Fill) {
    return Fit::No;  // reads nothing, so it begins a run
  }
  if (next.in_replay && !(next.evident && last.evident)) {
    // only names and times speak
    const bool alike = next.kernel_class == last.kernel_class && next.bytes > 0 && last.bytes > 0;
    return alike && alike_in_time(last, next) ? Fit::Ambiguous : Fit::No;
  }
  if (next.extent.known() && (whole_.known() || rows_.known())) {
    return fit_extents(next.extent);
  }
  if (last.threads > 0 && last.threads == next.threads) {
    return Fit::Whole;
  }
  if (equal_bytes(last, next)) {
    return Fit::Whole;
  }
  const bool same_op = next.op != profile::kNoRow && next.op == last.op;
  return same_op || alike_in_time(last, next) ? Fit::Ambiguous : Fit::No;
}

bool FusionRun::extend(const FusionMember& next) {
  const bool first = members_.empty();
  if (members_.size() >= kMostMembers) {
    return false;
  }
  const Fit how = first ? Fit::Whole : fit(next);
  if (how == Fit::No) {
    return false;
  }
  const bool row_sized = how == Fit::Rows || (reduced_ && !whole_.known() && how == Fit::Ambiguous);
  ambiguous_ = ambiguous_ || how == Fit::Ambiguous;
  if (next.kernel_class == KernelClass::Reduction && !row_sized) {
    reduced_ = true;
    rows_ = {};
  } else if (how == Fit::Whole) {
    reduced_ = false;
    rows_ = {};
  }
  if (next.extent.known()) {
    if (row_sized) {
      rows_ = next.extent;
    } else if (!whole_.known()) {
      whole_ = next.extent;
    }
  }
  members_.push_back(next);
  return true;
}

void FusionRun::clear() {
  members_.clear();
  whole_ = {};
  rows_ = {};
  reduced_ = false;
  ambiguous_ = false;
}

FusionGroup FusionRun::group(std::int64_t kernel_floor_ns, double usable_l2_bytes) const {
  FusionGroup group;
  group.activities.reserve(members_.size());
  group.bytes_source = members_.front().source;
  double largest_intermediate = 0;
  bool bytes_known = true;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    const FusionMember& member = members_[i];
    group.activities.push_back(member.row);
    group.bytes_source = least_trusted(group.bytes_source, member.source);
    bytes_known = bytes_known && member.bytes > 0;
    add_saturated(group.device_ns, member.duration_ns);
    if (i > 0) {
      add_saturated(group.gap_ns, gap_between(members_[i - 1], member));
    }
    if (i + 1 < members_.size()) {
      largest_intermediate = std::max(largest_intermediate, member.bytes * member.split.writes);
    }
  }
  // Where bytes are not known for all, time stands for them: all members then count as equally fast.
  Sums sums =
      sum(members_, [](const FusionMember& member) { return static_cast<double>(member.duration_ns); });
  if (bytes_known) {
    sums = sum(members_, [](const FusionMember& member) { return member.bytes; });
    group.bytes_before = sums.before;
    group.bytes_after = sums.after;
    group.boundary = largest_intermediate <= usable_l2_bytes ? Boundary::L2 : Boundary::Dram;
  } else {
    group.bytes_source = WorkSource::None;
  }
  if (ambiguous_) {
    group.bytes_source = least_trusted(group.bytes_source, WorkSource::Bandwidth);
  }
  const double ratio = sums.before > 0 ? sums.after / sums.before : 1;
  const auto scaled =
      ratio < 1 ? static_cast<std::int64_t>(static_cast<double>(group.device_ns) * ratio) : group.device_ns;
  group.fused_ns = std::min(std::max(scaled, kernel_floor_ns), group.device_ns);
  return group;
}

}  // namespace foretell::whatif
