// SPDX-License-Identifier: Apache-2.0
#include "analyzer/timeline/intervals.hpp"

#include <algorithm>
#include <numeric>

namespace foretell::timeline {

std::int64_t union_ns(std::vector<Interval>& intervals) {
  if (!std::ranges::is_sorted(intervals, {}, &Interval::begin_ns)) {
    std::ranges::sort(intervals, {}, &Interval::begin_ns);
  }
  std::int64_t covered = 0;
  std::int64_t reached = INT64_MIN;
  for (const Interval& interval : intervals) {
    const std::int64_t begin = std::max(interval.begin_ns, reached);
    if (interval.end_ns > begin) {
      covered += interval.end_ns - begin;
      reached = interval.end_ns;
    }
  }
  return covered;
}

void merge(std::vector<Interval>& intervals) {
  if (!std::ranges::is_sorted(intervals, {}, &Interval::begin_ns)) {
    std::ranges::sort(intervals, {}, &Interval::begin_ns);
  }
  std::size_t merged = 0;
  for (const Interval& interval : intervals) {
    if (merged > 0 && interval.begin_ns <= intervals[merged - 1].end_ns) {
      intervals[merged - 1].end_ns = std::max(intervals[merged - 1].end_ns, interval.end_ns);
    } else {
      intervals[merged++] = interval;
    }
  }
  intervals.resize(merged);
}

std::int64_t median(std::vector<std::int64_t> values) {
  if (values.empty()) {
    return 0;
  }
  const auto upper = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, upper);
  if (values.size() % 2 == 1) {
    return *upper;
  }
  return std::midpoint(*std::max_element(values.begin(), upper), *upper);
}

}  // namespace foretell::timeline
