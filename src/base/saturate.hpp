// SPDX-License-Identifier: Apache-2.0
// Sums and products that stop at the largest value instead of overflowing: a hostile file may hold any
// durations, a hostile graph any extents.
#pragma once

#include <cstdint>
#include <limits>

namespace foretell {

constexpr void add_saturated(std::int64_t& sum, std::int64_t more) {
  if (__builtin_add_overflow(sum, more, &sum)) {
    sum = more > 0 ? std::numeric_limits<std::int64_t>::max() : std::numeric_limits<std::int64_t>::min();
  }
}

// Of numbers that aren't negative.
constexpr std::int64_t saturated_product(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<std::int64_t>::max() : product;
}

}  // namespace foretell
