// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/runtime/median_interval.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

namespace foretell::runtime {

std::optional<std::pair<std::size_t, std::size_t>> median_ranks(std::size_t count) {
  constexpr double kEachTail = 0.025;
  const auto n = static_cast<double>(count);
  std::size_t below = 0;  // how many of the lowest ranks may be left out
  double tail = 0;
  for (std::size_t k = 0; k < count / 2; ++k) {
    const auto x = static_cast<double>(k);
    tail +=
        std::exp(std::lgamma(n + 1) - std::lgamma(x + 1) - std::lgamma(n - x + 1) - n * std::numbers::ln2);
    if (tail > kEachTail) {
      break;
    }
    below = k + 1;
  }
  if (below == 0) {
    return std::nullopt;
  }
  return std::pair(below - 1, count - below);
}

double median(std::span<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return values.size() % 2 == 1 ? *middle : (*std::max_element(values.begin(), middle) + *middle) / 2;
}

std::optional<MedianInterval> median_interval(std::span<const double> values) {
  const auto ranks = median_ranks(values.size());
  if (!ranks) {
    return std::nullopt;
  }
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  const double low = sorted[ranks->first];
  const double high = sorted[ranks->second];
  return MedianInterval{.median = median(sorted), .low = low, .high = high};
}

}  // namespace foretell::runtime
