// SPDX-License-Identifier: Apache-2.0
// The median of a sample, and how sure it is, without an assumption on the distribution.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <utility>

namespace foretell::runtime {

// Ranks (from 0) of the sorted values between which the median lies with at least 95 % confidence: the sign
// test turned round (Conover, Practical Nonparametric Statistics, 3.2). The number of values below the true
// median is binomial (n, 1/2), so [x(k), x(n - 1 - k)] misses it with probability 2 P(B <= k). None below 6
// values, where even the whole range misses it too often.
std::optional<std::pair<std::size_t, std::size_t>> median_ranks(std::size_t count);

// Of at least one value, which are put in another order; of an even number, the mean of the middle two.
double median(std::span<double> values);

struct MedianInterval {
  double median = 0;
  double low = 0;
  double high = 0;
};
// None below 6 values.
std::optional<MedianInterval> median_interval(std::span<const double> values);

}  // namespace foretell::runtime
