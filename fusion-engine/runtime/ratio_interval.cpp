// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/runtime/ratio_interval.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "fusion-engine/runtime/median_interval.hpp"
#include "src/base/check.hpp"

namespace foretell::runtime {
namespace {

// Efron and Tibshirani (13.3) ask for a thousand or more for percentiles as far out as these.
constexpr std::size_t kDraws = 2000;
constexpr std::uint64_t kSeed = 1;

using Samples = std::span<const std::optional<double>>;

// 0 if there is none.
double median_of_drawn(Samples samples, std::span<const std::size_t> rounds, std::vector<double>& values) {
  values.clear();
  for (const std::size_t round : rounds) {
    if (samples[round]) {
      values.push_back(*samples[round]);
    }
  }
  return values.empty() ? 0 : median(values);
}

}  // namespace

std::optional<RatioInterval> ratio_interval(Samples numerators, Samples denominators) {
  const std::size_t rounds = std::min(numerators.size(), denominators.size());
  std::size_t both = 0;
  for (std::size_t i = 0; i < rounds; ++i) {
    FORETELL_CHECK(numerators[i].value_or(1) > 0 && denominators[i].value_or(1) > 0);
    both += numerators[i] && denominators[i] ? 1 : 0;
  }
  if (!median_ranks(both)) {
    return std::nullopt;
  }
  std::mt19937_64 random(kSeed);
  std::vector<std::size_t> drawn(rounds);
  std::vector<double> values;
  std::vector<double> ratios;
  while (ratios.size() < kDraws) {
    std::ranges::generate(drawn, [&] { return static_cast<std::size_t>(random() % rounds); });
    const double numerator = median_of_drawn(numerators, drawn, values);
    const double denominator = median_of_drawn(denominators, drawn, values);
    if (numerator > 0 && denominator > 0) {
      ratios.push_back(numerator / denominator);
    }
  }
  std::ranges::sort(ratios);
  constexpr std::size_t kTail = kDraws / 40;  // 2.5 %
  return RatioInterval{.low = ratios[kTail], .high = ratios[kDraws - 1 - kTail]};
}

}  // namespace foretell::runtime
