// SPDX-License-Identifier: Apache-2.0
#include "analyzer/timeline/per_step.hpp"

#include <gtest/gtest.h>

#include "analyzer/timeline/test_steps.hpp"

namespace foretell::timeline {
namespace {

TEST(PerStep, WarmupCountsInTheTotalOnlyAndSoDoesWhatLiesInNoStep) {
  const Steps steps = even_steps(4, 100, 1);
  StepSums sums(steps);
  sums.add(0, 1000);
  sums.add(1, 5);
  sums.add(1, 2);
  sums.add(2, 3);
  sums.add(step_at(steps.all, 4000), 40);
  EXPECT_EQ(sums.sum(), (StepSum{.per_step = 3, .steady = 10, .total = 1050}));
}

struct MedianCase {
  const char* name;
  std::vector<std::int64_t> values;
  std::size_t count;
  std::int64_t want;
};

class MedianTest : public testing::TestWithParam<MedianCase> {};

TEST_P(MedianTest, MissingValuesAreZeros) {
  EXPECT_EQ(median_with_zeros(GetParam().values, GetParam().count), GetParam().want);
}

INSTANTIATE_TEST_SUITE_P(PerStep, MedianTest,
                         testing::Values(MedianCase{"None", {}, 4, 0}, MedianCase{"All", {9, 1, 5}, 3, 5},
                                         MedianCase{"OneMissing", {9, 1, 5}, 4, 3},
                                         MedianCase{"HalfMissing", {8, 6}, 4, 3},
                                         MedianCase{"MostMissing", {8, 6}, 5, 0},
                                         MedianCase{"MoreThanCounted", {8, 6, 7}, 1, 7}),
                         [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace foretell::timeline
