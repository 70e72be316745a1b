// SPDX-License-Identifier: Apache-2.0
#include "analyzer/timeline/device_busy.hpp"

#include <gtest/gtest.h>

#include "analyzer/timeline/test_profile.hpp"

namespace foretell::timeline {
namespace {

struct Case {
  const char* name;
  std::int64_t begin, end, want;
};

class DeviceBusyTest : public testing::TestWithParam<Case> {};

TEST_P(DeviceBusyTest, UnionWithinTheWindow) {
  // busy 10..40 (two streams), 50..60
  const auto profile = TestProfile()
                           .kernel(10, 20, 1, "a", 7)
                           .kernel(50, 10, 2, "b", 7)
                           .kernel(20, 20, 3, "c", 8)
                           .kernel(70, 100, 4, "Stream Sync", 8, profile::ActivityKind::Sync)
                           .finish();
  const DeviceBusy busy(profile, audit_durations(profile, link(profile)));
  EXPECT_EQ(busy.busy_ns(0, GetParam().begin, GetParam().end), GetParam().want);
  EXPECT_EQ(busy.busy_ns(1, GetParam().begin, GetParam().end), 0) << "no such device";
  EXPECT_EQ(busy.first_active(), 0U);
}

INSTANTIATE_TEST_SUITE_P(DeviceBusy, DeviceBusyTest,
                         testing::Values(Case{"All", 0, 100, 40}, Case{"Before", 0, 10, 0},
                                         Case{"Behind", 60, 100, 0}, Case{"Gap", 40, 50, 0},
                                         Case{"Inside", 15, 35, 20}, Case{"AcrossTheGap", 35, 55, 10},
                                         Case{"Empty", 20, 20, 0}, Case{"Backwards", 50, 20, 0}),
                         [](const auto& row) { return row.param.name; });

TEST(DeviceBusy, NoWorkNoDevice) {
  const auto profile = TestProfile().op(0, 10, "aten::mm").finish();
  EXPECT_EQ(DeviceBusy(profile, audit_durations(profile, link(profile))).first_active(), profile::kNoRow);
}

}  // namespace
}  // namespace foretell::timeline
