// SPDX-License-Identifier: Apache-2.0
#include "src/base/names.hpp"

#include <gtest/gtest.h>

#include <array>

namespace foretell {
namespace {

constexpr std::array<std::string_view, 2> kNames{"eager", "fused"};

TEST(CheckName, OfTheListIsTaken) {
  EXPECT_TRUE(check_name("--variants", "variant", "eager", kNames));
  EXPECT_TRUE(check_name("--variants", "variant", "fused", kNames));
}

TEST(CheckName, AnotherIsToldWithTheListAndTheNearest) {
  const auto checked = check_name("--variants", "variant", "fusd", kNames);

  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error(),
            (Error{ErrorCode::Usage, "--variants", "unknown variant 'fusd', expected one of: eager, fused",
                   "did you mean 'fused'?"}));
}

TEST(CheckName, WithNothingNearThereIsNoHint) {
  EXPECT_EQ(check_name("--variants", "variant", "quick", kNames).error().hint, "");
  EXPECT_EQ(check_name("--variants", "variant", "", kNames).error().message,
            "unknown variant '', expected one of: eager, fused");
}

TEST(CheckName, CantDriveTheTerminal) {
  EXPECT_EQ(check_name("--variants", "variant", "\x1b[2J", kNames).error().message,
            "unknown variant '?[2J', expected one of: eager, fused");
}

TEST(UnknownName, SaysWhatElseIsTaken) {
  EXPECT_EQ(unknown_name("--workload", "workload", "x", kNames, "a file or ").message,
            "unknown workload 'x', expected a file or one of: eager, fused");
}

}  // namespace
}  // namespace foretell
