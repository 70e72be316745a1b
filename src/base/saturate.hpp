// SPDX-License-Identifier: Apache-2.0
// Sums that stop at the largest value instead of overflowing: a hostile file may hold any durations.
#pragma once

#include <cstdint>
#include <limits>

namespace foretell {

constexpr void add_saturated(std::int64_t& sum, std::int64_t more) {
  if (__builtin_add_overflow(sum, more, &sum)) {
    sum = more > 0 ? std::numeric_limits<std::int64_t>::max() : std::numeric_limits<std::int64_t>::min();
  }
}

}  // namespace foretell
