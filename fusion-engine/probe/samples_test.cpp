// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/probe/samples.hpp"

#include <gtest/gtest.h>

namespace foretell::probe {
namespace {

TEST(Quantile, IsLinearBetweenSamples) {
  const std::vector<double> sorted{0, 10, 20, 30, 40};
  EXPECT_EQ(quantile(sorted, 0), 0);
  EXPECT_EQ(quantile(sorted, 0.1), 4);
  EXPECT_EQ(quantile(sorted, 0.5), 20);
  EXPECT_EQ(quantile(sorted, 1), 40);
  EXPECT_EQ(quantile({7}, 0.9), 7);
}

TEST(ConstantOf, IsMedianWithTenthAndNinetiethPercentile) {
  const ProbedConstant made = constant_of("x_ns", "ns", {40, 0, 30, 10, 20}, "a test");

  EXPECT_EQ(made.samples, 5);
  EXPECT_EQ(made.constant, (cost::Constant{"x_ns", "ns", 4, 20, 36, Provenance::Probed, "a test"}));
}

TEST(TakeSamples, LeavesTheFirstOutAndStopsAtItsLimits) {
  int calls = 0;
  const auto next = [&] { return static_cast<double>(calls++); };

  EXPECT_EQ(take_samples(next, {.budget_ns = 0, .least = 3, .most = 10}), (std::vector<double>{1, 2, 3}));
  calls = 0;
  EXPECT_EQ(take_samples(next, {.budget_ns = INT64_MAX / 4, .least = 3, .most = 5}),
            (std::vector<double>{1, 2, 3, 4, 5}));
}

}  // namespace
}  // namespace foretell::probe
