// SPDX-License-Identifier: Apache-2.0
#include "src/base/system_message.hpp"

#include <gtest/gtest.h>

#include <cerrno>

namespace foretell {
namespace {

TEST(SystemMessage, IsLowerCase) {
  EXPECT_EQ(system_message(EACCES), "permission denied");
  EXPECT_EQ(system_message(ENOENT), "no such file or directory");
}

TEST(SystemMessage, KeepsAbbreviations) { EXPECT_EQ(system_message(EDOTDOT), "RFS specific error"); }

}  // namespace
}  // namespace foretell
