// SPDX-License-Identifier: Apache-2.0
#include "analyzer/timeline/intervals.hpp"

#include <gtest/gtest.h>

namespace foretell::timeline {
namespace {

struct UnionCase {
  const char* name;
  std::vector<Interval> in;
  std::int64_t want;
};

class UnionTest : public testing::TestWithParam<UnionCase> {};

TEST_P(UnionTest, CountsEveryInstantOnce) {
  auto intervals = GetParam().in;
  EXPECT_EQ(union_ns(intervals), GetParam().want);
}

INSTANTIATE_TEST_SUITE_P(Intervals, UnionTest,
                         testing::Values(UnionCase{"None", {}, 0}, UnionCase{"One", {{5, 9}}, 4},
                                         UnionCase{"Apart", {{0, 2}, {4, 6}}, 4},
                                         UnionCase{"Touching", {{0, 2}, {2, 6}}, 6},
                                         UnionCase{"Overlapping", {{0, 5}, {3, 8}}, 8},
                                         UnionCase{"Nested", {{0, 10}, {2, 4}, {9, 11}}, 11},
                                         UnionCase{"Unsorted", {{4, 6}, {0, 2}}, 4},
                                         UnionCase{"EmptyAndReversed", {{3, 3}, {9, 1}, {0, 1}}, 1},
                                         UnionCase{"Negative", {{-10, -5}, {-6, 2}}, 12}),
                         [](const auto& row) { return row.param.name; });

TEST(Median, IsTheMiddle) {
  EXPECT_EQ(median({}), 0);
  EXPECT_EQ(median({7}), 7);
  EXPECT_EQ(median({9, 1, 5}), 5);
  EXPECT_EQ(median({40, 10, 30, 20}), 25);
  EXPECT_EQ(median({2, 1}), 1);
}

TEST(Merge, OverlappingAndTouchingBecomeOne) {
  std::vector<Interval> intervals{{40, 50}, {0, 10}, {10, 20}, {45, 47}, {5, 8}};

  merge(intervals);

  ASSERT_EQ(intervals.size(), 2U);
  EXPECT_EQ(intervals[0].begin_ns, 0);
  EXPECT_EQ(intervals[0].end_ns, 20);
  EXPECT_EQ(intervals[1].begin_ns, 40);
  EXPECT_EQ(intervals[1].end_ns, 50);
}

}  // namespace
}  // namespace foretell::timeline
