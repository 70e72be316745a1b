// SPDX-License-Identifier: Apache-2.0
// How sure the ratio of two medians is, where both were sampled in the same rounds.
#pragma once

#include <optional>
#include <span>

namespace foretell::runtime {

struct RatioInterval {
  double low = 0;
  double high = 0;
};

// The 95 % interval of median(numerators) / median(denominators): the bootstrap's percentiles (Efron and
// Tibshirani, An Introduction to the Bootstrap, chapter 13). Rounds are drawn as a whole, so that what slows
// down both in a round does not widen it. By round; nullopt where a sample was rejected, and left out of its
// median. Equal input gives equal numbers. None if fewer than 6 rounds have both, as for a median.
std::optional<RatioInterval> ratio_interval(std::span<const std::optional<double>> numerators,
                                            std::span<const std::optional<double>> denominators);

}  // namespace foretell::runtime
