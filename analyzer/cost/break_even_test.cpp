// SPDX-License-Identifier: Apache-2.0
#include "analyzer/cost/break_even.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace foretell::cost {
namespace {

constexpr double kMs = 1e6;
constexpr std::int64_t operator""_ms(unsigned long long ms) {
  return static_cast<std::int64_t>(ms) * 1'000'000;
}

// First steps of 7,962 and 249 ms, then 22 against 40 eager: (7.962 + 0.249 - 2 x 0.04) / 0.018.
TEST(BreakEven, SlowFirstStepsAreTheCompilation) {
  std::vector<std::int64_t> steps{7962_ms, 249_ms};
  steps.insert(steps.end(), 8, 22_ms);

  const auto split = split_compiled_steps(steps, 40 * kMs);

  ASSERT_TRUE(split);
  EXPECT_EQ(split->slow, 2U);
  EXPECT_EQ(split->steady_ns, 22_ms);
  EXPECT_DOUBLE_EQ(split->compile_ns, 8131 * kMs);
  const auto even = break_even_steps(split->compile_ns, 40 * kMs, static_cast<double>(split->steady_ns));
  ASSERT_TRUE(even);
  EXPECT_GE(*even, 447);
  EXPECT_LE(*even, 457);
}

// 186 s of compiling for 72.4 -> 72.0 ms.
TEST(BreakEven, HardlyFasterTakesHalfAMillionSteps) {
  const auto even = break_even_steps(186'000 * kMs, 72.4 * kMs, 72.0 * kMs);

  ASSERT_TRUE(even);
  EXPECT_NEAR(*even, 465'000, 1);
}

TEST(BreakEven, NeverWhereNothingIsSaved) {
  EXPECT_FALSE(break_even_steps(1, 40, 40));
  EXPECT_FALSE(break_even_steps(1, 40, 41));
  EXPECT_FALSE(break_even_steps(1, std::numeric_limits<double>::quiet_NaN(), 41));
  EXPECT_EQ(break_even_steps(0, 40, 22), 0.0);
  EXPECT_EQ(break_even_steps(-5, 40, 22), 0.0);
}

struct Case {
  const char* name;
  std::vector<std::int64_t> steps;
  std::size_t slow;
  std::int64_t steady_ns;
};

class SplitCompiledSteps : public testing::TestWithParam<Case> {};

TEST_P(SplitCompiledSteps, LeadingSlowOnesOnly) {
  const auto split = split_compiled_steps(GetParam().steps, 10);

  ASSERT_TRUE(split);
  EXPECT_EQ(split->slow, GetParam().slow);
  EXPECT_EQ(split->steady_ns, GetParam().steady_ns);
  EXPECT_GE(split->compile_ns, 0);
}

INSTANTIATE_TEST_SUITE_P(Runs, SplitCompiledSteps,
                         testing::Values(Case{"Warm", {5, 5, 5, 5}, 0, 5},  // from a warm cache
                                         Case{"OneSteadyStep", {1000, 200, 5}, 2, 5},
                                         Case{"OneStepAtAll", {1000}, 0, 1000},
                                         Case{"RecompilesLater", {1000, 5, 5, 800, 5, 5, 5}, 1, 5},
                                         Case{"JustBelowTwice", {9, 5, 5, 5}, 0, 5},
                                         Case{"ZeroSteps", {0, 0}, 2, 0}),
                         [](const auto& param) { return param.param.name; });

TEST(SplitCompiledSteps, NoStepsNoAnswer) { EXPECT_FALSE(split_compiled_steps({}, 10)); }

}  // namespace
}  // namespace foretell::cost
