// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/runtime/median_interval.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace foretell::runtime {
namespace {

using Ranks = std::optional<std::pair<std::size_t, std::size_t>>;

// Ranks from 1 in the tables of the sign test's interval (Conover, table A3, p = 0.5, 95 %): n = 10: 2..9,
// 20: 6..15, 30: 10..21.
TEST(MedianRanks, AreThoseOfTheTables) {
  EXPECT_EQ(median_ranks(5), Ranks());
  EXPECT_EQ(median_ranks(6), Ranks({0, 5}));
  EXPECT_EQ(median_ranks(8), Ranks({0, 7}));
  EXPECT_EQ(median_ranks(9), Ranks({1, 7}));
  EXPECT_EQ(median_ranks(10), Ranks({1, 8}));
  EXPECT_EQ(median_ranks(20), Ranks({5, 14}));
  EXPECT_EQ(median_ranks(30), Ranks({9, 20}));
}

TEST(MedianRanks, NarrowWithTheRootOfTheCount) {
  // Normal approximation: half width 0.98 sqrt(n).
  const auto ranks = median_ranks(10000);
  ASSERT_TRUE(ranks.has_value());
  EXPECT_NEAR(static_cast<double>(ranks->second - ranks->first), 2 * 98, 3);
}

TEST(MedianInterval, IsSymmetricAroundTheMiddle) {
  std::vector<double> values{9, 1, 8, 2, 7, 3, 6, 4, 5, 10};
  const auto interval = median_interval(values);
  ASSERT_TRUE(interval.has_value());
  EXPECT_EQ(interval->median, 5.5);
  EXPECT_EQ(interval->low, 2);
  EXPECT_EQ(interval->high, 9);
  EXPECT_FALSE(median_interval(std::vector<double>{1, 2, 3, 4, 5}).has_value());
}

TEST(MedianInterval, CoversTheMedianOfASkewedDistribution) {
  std::mt19937_64 random(1);
  std::exponential_distribution<double> skewed(1);
  int covered = 0;
  constexpr int kTrials = 2000;
  for (int i = 0; i < kTrials; ++i) {
    std::vector<double> values(25);
    std::ranges::generate(values, [&] { return skewed(random); });
    const auto interval = median_interval(values);
    covered += interval->low <= 0.6931 && 0.6931 <= interval->high ? 1 : 0;
  }
  // Exact coverage at n = 25 is 95.7 %; 4 standard errors of 2000 trials are 1.8 %.
  EXPECT_NEAR(covered / double{kTrials}, 0.957, 0.018);
}

}  // namespace
}  // namespace foretell::runtime
