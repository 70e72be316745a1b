// SPDX-License-Identifier: Apache-2.0
// Unions of time intervals.
#pragma once

#include <cstdint>
#include <vector>

namespace foretell::timeline {

struct Interval {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;  // an end before the begin counts as empty
};

// Length of the union. Sorts `intervals`.
std::int64_t union_ns(std::vector<Interval>& intervals);

// Sorts `intervals` and makes one of those that overlap or touch.
void merge(std::vector<Interval>& intervals);

// The middle value; of an even number, the midpoint of the two middle ones, rounded down; 0 if empty.
std::int64_t median(std::vector<std::int64_t> values);

}  // namespace foretell::timeline
