// SPDX-License-Identifier: Apache-2.0
#include "src/base/directories.hpp"

#include <gtest/gtest.h>

namespace foretell {
namespace {

TEST(CacheDirectory, FollowsTheXdgSpecification) {
  EXPECT_EQ(cache_directory("/x", "/h").value(), "/x/foretell");
  EXPECT_EQ(cache_directory("", "/h").value(), "/h/.cache/foretell");
  EXPECT_EQ(cache_directory("relative", "/h").value(), "/h/.cache/foretell");
  EXPECT_EQ(cache_directory("", "").error().message, "neither XDG_CACHE_HOME nor HOME names a directory");
  EXPECT_EQ(cache_directory("", "relative").error().code, ErrorCode::Environment);
}

TEST(UniqueDirectory, IsNewEachTimeAndTheUsersAlone) {
  const std::filesystem::path parent = testing::TempDir();
  const auto first = make_unique_directory(parent, "foretell_");
  const auto second = make_unique_directory(parent, "foretell_");
  ASSERT_TRUE(first.has_value() && second.has_value());
  EXPECT_NE(*first, *second);
  EXPECT_TRUE(first->filename().string().starts_with("foretell_"));
  EXPECT_EQ(std::filesystem::status(*first).permissions(), std::filesystem::perms::owner_all);
  std::filesystem::remove(*first);
  std::filesystem::remove(*second);
}

TEST(UniqueDirectory, SaysWhereItCantBe) {
  const auto made = make_unique_directory("/nowhere", "foretell_");
  ASSERT_FALSE(made.has_value());
  EXPECT_EQ(made.error().where, "/nowhere");
  EXPECT_EQ(made.error().message, "not writable: no such file or directory");
}

}  // namespace
}  // namespace foretell
