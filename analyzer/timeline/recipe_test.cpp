// SPDX-License-Identifier: Apache-2.0
#include "analyzer/timeline/recipe.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace foretell::timeline {
namespace {

TEST(Recipe, EveryLineHasItsOwnIdAndFitsTheTerminal) {
  std::set<std::string_view> ids;
  std::set<std::string_view> texts;
  for (const RecipeLine& line : all_recipe_lines()) {
    SCOPED_TRACE(line.id);
    EXPECT_TRUE(ids.insert(line.id).second);
    EXPECT_TRUE(texts.insert(line.text).second);
    EXPECT_EQ(recipe_id(line.recipe), line.id);
    EXPECT_LT(fmt::format("[{}] {}", line.id, line.text).size(), 100U);
    EXPECT_TRUE(std::ranges::none_of(line.text, [](char c) { return c < ' ' || c > '~'; }));
  }
}

// A heading is printed once.
TEST(Recipe, LinesOfOneSectionStandTogether) {
  std::set<std::string_view> seen;
  std::string_view last;
  for (const RecipeLine& line : all_recipe_lines()) {
    EXPECT_FALSE(line.section.empty());
    EXPECT_TRUE(line.section == last || seen.insert(line.section).second) << line.id;
    last = line.section;
  }
}

}  // namespace
}  // namespace foretell::timeline
