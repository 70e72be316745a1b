// SPDX-License-Identifier: Apache-2.0
#include "analyzer/timeline/launches.hpp"

#include <gtest/gtest.h>

#include "analyzer/timeline/test_profile.hpp"

namespace foretell::timeline {
namespace {

using profile::ApiKind;

LaunchStats stats_of(const profile::Profile& profile) { return compute_launch_stats(profile, link(profile)); }

TEST(Launches, DelayRunsFromTheEndOfTheCallToTheFirstRecord) {
  const auto profile = TestProfile()
                           .call(0, 10, 1, ApiKind::GraphLaunch)
                           .kernel(50, 5, 1, "late")
                           .kernel(30, 5, 1, "early")
                           .call(100, 10, 2)
                           .kernel(105, 5, 2)
                           .finish();
  const LaunchStats stats = stats_of(profile);
  EXPECT_EQ(stats.linked, 2U);
  EXPECT_EQ(stats.delay_max_ns, 20);
  EXPECT_EQ(stats.delay_mean_ns, 10);
  EXPECT_EQ(stats.call_sum_ns, 20);
  EXPECT_EQ(stats.skewed, 0U) << "a start within the call is no skew";
}

TEST(Launches, QueueDepthIsPerStreamAndNeverBelowZero) {
  const auto profile = TestProfile()
                           .kernel(0, 5, 99)  // launched before the window
                           .call(10, 1, 1)
                           .call(12, 1, 2)
                           .call(14, 1, 3)
                           .kernel(8, 1, 1)  // skewed
                           .kernel(30, 1, 2)
                           .kernel(40, 1, 3)
                           .finish();
  const LaunchStats stats = stats_of(profile);
  EXPECT_EQ(stats.queue_min, 0);
  EXPECT_EQ(stats.queue_max, 2);
  EXPECT_EQ(stats.skewed, 1U);
  EXPECT_EQ(stats.skew_max_ns, 2);
}

TEST(Launches, OneKernelThatEndsBeforeTheSynchronisationDoesRulesOutAnOffset) {
  const auto sync = [](TestProfile& profile) {
    profile.call(100, 10, 9, ApiKind::Synchronize, -1, "cudaDeviceSynchronize");
  };
  TestProfile off;
  off.call(0, 5, 1).call(10, 5, 2).kernel(1000, 5, 1).kernel(1010, 5, 2);
  sync(off);
  EXPECT_EQ(stats_of(off.finish()).clock_offset_ns, 1000);
  TestProfile on;
  on.call(0, 5, 1).call(10, 5, 2).kernel(50, 5, 1).kernel(1010, 5, 2);
  sync(on);
  EXPECT_EQ(stats_of(on.finish()).clock_offset_ns, std::nullopt);
}

}  // namespace
}  // namespace foretell::timeline
