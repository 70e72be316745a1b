// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/runtime/proc_stat.hpp"

#include <gtest/gtest.h>

namespace foretell::runtime {
namespace {

constexpr std::string_view kText =
    "cpu  4705 150 1120 16250 520 0 17 342 0 0\n"
    "cpu0 2000 50 520 8000 260 0 10 300 0 0\n"
    "cpu1 2705 100 600 8250 260 0 7 42 0 0\n"
    "cpu10 1 1 1 1 1 1 1 5 0 0\n"
    "intr 1 2 3 4 5 6 7 8 9\n";

TEST(StealTicks, AreSummedOverTheProcessorsAskedFor) {
  EXPECT_EQ(steal_ticks(kText, {}), 347);
  EXPECT_EQ(steal_ticks(kText, {1}), 42);
  EXPECT_EQ(steal_ticks(kText, {0, 10}), 305);
  EXPECT_EQ(steal_ticks(kText, {7}), 0);
}

TEST(StealTicks, AreNoneWhereTheKernelDoesNotTell) {
  EXPECT_EQ(steal_ticks("", {}), 0);
  EXPECT_EQ(steal_ticks("cpu0 1 2 3 4\n", {}), 0);
  EXPECT_EQ(steal_ticks("cpu0", {0}), 0);
}

}  // namespace
}  // namespace foretell::runtime
