// SPDX-License-Identifier: Apache-2.0
#include "src/base/column.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace foretell {
namespace {

using testing::ElementsAre;

template <class T>
std::vector<T> rows(const Column<T>& column) {
  return {column.begin(), column.end()};
}

Column<int> column_of(std::initializer_list<int> values) {
  Column<int> column;
  column.append(std::span(values.begin(), values.size()));
  return column;
}

TEST(Column, StartsEmptyWithoutMemory) {
  const Column<int> column;

  EXPECT_TRUE(column.empty());
  EXPECT_EQ(column.allocated_bytes(), 0U);
  EXPECT_TRUE(column.values().empty());
}

TEST(Column, GrowsByPushAndAppend) {
  Column<std::int64_t> column;
  for (std::int64_t i = 0; i < 1'000; ++i) {
    column.push_back(i);
  }
  column.append(std::array<std::int64_t, 2>{7, 8});

  ASSERT_EQ(column.size(), 1'002U);
  for (std::int64_t i = 0; i < 1'000; ++i) {
    ASSERT_EQ(column[static_cast<std::size_t>(i)], i);
  }
  EXPECT_EQ(column[1'000], 7);
  EXPECT_EQ(column[1'001], 8);
  EXPECT_GE(column.allocated_bytes(), 1'002 * sizeof(std::int64_t));
}

TEST(Column, AppendOfNothingIsNothing) {
  Column<int> column;
  column.append({});

  EXPECT_EQ(column.allocated_bytes(), 0U);
}

TEST(Column, ResizeFillsNewRowsOnly) {
  Column<int> column = column_of({1, 2});

  column.resize(4, 9);
  EXPECT_THAT(rows(column), ElementsAre(1, 2, 9, 9));
  column.resize(1, 5);
  EXPECT_THAT(rows(column), ElementsAre(1));
}

TEST(Column, CopyIsDeepAndMoveLeavesEmpty) {
  Column<int> column = column_of({1, 2, 3});
  const Column<int> copy = column;
  column[0] = 100;
  const Column<int> moved = std::move(column);

  EXPECT_THAT(rows(copy), ElementsAre(1, 2, 3));
  EXPECT_THAT(rows(moved), ElementsAre(100, 2, 3));
  EXPECT_TRUE(
      column.empty());  // NOLINT(bugprone-use-after-move): the state after a move is part of the contract
}

TEST(Column, AssignmentReplaces) {
  Column<int> column = column_of({1});
  column = column_of({2, 3});

  EXPECT_THAT(rows(column), ElementsAre(2, 3));
}

TEST(Column, GatherReorders) {
  Column<int> column = column_of({10, 20, 30});
  column.gather(std::span<const std::uint32_t>(std::array<std::uint32_t, 3>{2, 0, 1}));

  EXPECT_THAT(rows(column), ElementsAre(30, 10, 20));
}

TEST(Column, ClearKeepsTheMemory) {
  Column<int> column = column_of({1, 2});
  const std::size_t bytes = column.allocated_bytes();
  column.clear();

  EXPECT_TRUE(column.empty());
  EXPECT_EQ(column.allocated_bytes(), bytes);
}

}  // namespace
}  // namespace foretell
