// SPDX-License-Identifier: Apache-2.0
#include "src/base/string_table.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace foretell {
namespace {

TEST(StringTable, IdZeroIsTheEmptyString) {
  StringTable table;

  EXPECT_EQ(table.size(), 1U);
  EXPECT_EQ(table[StringId::Empty], "");
  EXPECT_EQ(table.intern(""), StringId::Empty);
}

TEST(StringTable, EqualTextHasOneIdAndIdsAreDense) {
  StringTable table;

  EXPECT_EQ(table.intern("a"), StringId{1});
  EXPECT_EQ(table.intern("b"), StringId{2});
  EXPECT_EQ(table.intern("a"), StringId{1});
  EXPECT_EQ(table.size(), 3U);
}

TEST(StringTable, CopiesTheText) {
  StringTable table;
  std::string text = "short-lived";
  const StringId id = table.intern(text);

  text.assign(text.size(), 'x');

  EXPECT_EQ(table[id], "short-lived");
}

TEST(StringTable, ManyAndLongTextsSurviveGrowthAndMove) {
  StringTable table;
  std::vector<std::string> texts;
  texts.reserve(50'004);
  for (std::size_t i = 0; i < 50'000; ++i) {
    texts.push_back("name " + std::to_string(i));
  }
  for (const std::size_t size :
       {1'000U, 16'384U, 16'385U, 70'000U}) {  // around a quarter block, and beyond one
    texts.emplace_back(size, 'l');
  }
  for (const std::string& text : texts) {
    table.intern(text);
  }

  StringTable moved = std::move(table);

  ASSERT_EQ(moved.size(), texts.size() + 1);
  for (std::uint32_t i = 0; i < texts.size(); ++i) {
    ASSERT_EQ(moved[StringId{i + 1}], texts[i]);
    ASSERT_EQ(moved.intern(texts[i]), StringId{i + 1});
  }
}

TEST(StringTable, TextMayHoldZeroBytes) {
  StringTable table;
  const StringId id = table.intern(std::string_view("a\0b", 3));

  EXPECT_EQ(table[id].size(), 3U);
  EXPECT_NE(table.intern("a"), id);
}

TEST(StringTable, ReplaceChangesTheTextOfAnId) {
  StringTable table;
  const StringId id = table.intern("torch\nn");

  table.replace(id, "torch\\nn");

  EXPECT_EQ(table[id], "torch\\nn");
}

TEST(StringTable, ClearForgetsAndKeepsOneBlock) {
  StringTable table;
  for (int i = 0; i < 20'000; ++i) {
    table.intern("a name that takes some room " + std::to_string(i));
  }
  const std::size_t before = table.allocated_bytes();

  table.clear();

  EXPECT_EQ(table.size(), 1U);
  EXPECT_GT(before, table.allocated_bytes());
  EXPECT_GT(table.allocated_bytes(), 0U);
  EXPECT_EQ(table.intern("new"), StringId{1});
  EXPECT_EQ(table[StringId{1}], "new");
}

}  // namespace
}  // namespace foretell
