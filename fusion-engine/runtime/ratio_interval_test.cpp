// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/runtime/ratio_interval.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace foretell::runtime {
namespace {

using Samples = std::vector<std::optional<double>>;

TEST(RatioInterval, LeavesOutRejectedSamples) {
  Samples before;
  Samples after;
  for (int i = 0; i < 8; ++i) {
    before.emplace_back(20);
    after.emplace_back(10);
  }
  before[2] = std::nullopt;
  after[5] = std::nullopt;
  const auto six = ratio_interval(before, after);
  ASSERT_TRUE(six.has_value());
  EXPECT_EQ(six->low, 2);
  EXPECT_EQ(six->high, 2);
  after[6] = std::nullopt;
  EXPECT_FALSE(ratio_interval(before, after).has_value());
}

// What slows both down in a round, by a factor of up to two, does not count.
TEST(RatioInterval, DrawsRoundsAsAWhole) {
  Samples before;
  Samples after;
  for (int i = 0; i < 20; ++i) {
    before.emplace_back(20.0 * (20 + i));
    after.emplace_back(10.0 * (20 + i));
  }
  const auto interval = ratio_interval(before, after);
  ASSERT_TRUE(interval.has_value());
  EXPECT_NEAR(interval->low, 2, 1e-12);
  EXPECT_NEAR(interval->high, 2, 1e-12);
}

TEST(RatioInterval, IsTheSameEachTime) {
  const Samples before{5, 6, 7, 8, 9, 10, 11};
  const Samples after{2, 3, 2, 4, 2, 3, 2};
  const auto first = ratio_interval(before, after).value();
  const auto again = ratio_interval(before, after).value();
  EXPECT_EQ(first.low, again.low);
  EXPECT_EQ(first.high, again.high);
  EXPECT_LT(first.low, first.high);
}

TEST(RatioInterval, CoversTheRatioOfSkewedSamplesThatShareTheirRounds) {
  constexpr int kTrials = 300;
  std::mt19937_64 random(1);
  std::exponential_distribution<double> skewed(5);
  std::normal_distribution<double> drift(0, 0.3);
  int covered = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    Samples before;
    Samples after;
    for (int round = 0; round < 10; ++round) {
      const double slow = std::exp(drift(random));
      before.emplace_back(2 * slow * (1 + skewed(random)));
      after.emplace_back(slow * (1 + skewed(random)));
    }
    const auto interval = ratio_interval(before, after);
    covered += interval->low <= 2 && 2 <= interval->high ? 1 : 0;
  }
  // 3 standard errors of 300 trials at 95 % are 3.8 %.
  EXPECT_GE(covered / double{kTrials}, 0.95 - 0.038);
}

}  // namespace
}  // namespace foretell::runtime
