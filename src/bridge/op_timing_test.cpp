// SPDX-License-Identifier: Apache-2.0
#include "src/bridge/op_timing.hpp"

#include <gtest/gtest.h>

namespace foretell::bridge {
namespace {

TEST(MedianTimes, AreThoseOfTheMiddleStepOpByOp) {
  const std::vector<runtime::OpTime> steps[] = {
      {{ir::NodeId{1}, "add", 10, 5, 100}, {ir::NodeId{2}, "mul", 900, 6, 100}},
      {{ir::NodeId{1}, "add", 30, 4, 100}, {ir::NodeId{2}, "mul", 20, 8, 100}},
      {{ir::NodeId{1}, "add", 20, 9, 100}, {ir::NodeId{2}, "mul", 21, 7, 100}},
  };
  const auto times = median_times(steps);

  ASSERT_EQ(times.size(), 2U);
  EXPECT_EQ(times[0].device_ns, 20);
  EXPECT_EQ(times[0].host_ns, 5);
  EXPECT_EQ(times[1].device_ns, 21);
  EXPECT_EQ(times[1].host_ns, 7);
  EXPECT_EQ(times[1].name, "mul");
}

}  // namespace
}  // namespace foretell::bridge
