// SPDX-License-Identifier: Apache-2.0
#include "analyzer/timeline/launches.hpp"

#include <gtest/gtest.h>

#include "analyzer/timeline/test_profile.hpp"
#include "analyzer/timeline/test_steps.hpp"

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

TEST(Launches, KernelsAgainstTheirCalls) {
  const auto profile = TestProfile()
                           .call(0, 10, 1)
                           .kernel(20, 5, 1)  // shorter
                           .call(100, 10, 2)
                           .kernel(120, 10, 2)
                           .call(200, 50, 3)
                           .kernel(210, 30, 3)  // within its call
                           .call(300, 10, 4, ApiKind::GraphLaunch)
                           .kernel(302, 3, 4)  // no kernel launch
                           .finish();
  const LaunchStats stats = stats_of(profile);
  EXPECT_EQ(stats.linked_kernel_launches, 3U);
  EXPECT_EQ(stats.kernels_shorter_than_launch, 2U);
  EXPECT_DOUBLE_EQ(stats.shorter_share, 2.0 / 3);
  EXPECT_EQ(stats.blocking_launches, 1U);
  EXPECT_EQ(stats.kernel_median_ns, 7);
}

TEST(Launches, TenthPercentileOfTheCalls) {
  TestProfile rows;
  for (int i = 0; i < 21; ++i) {
    rows.call(i * 1000, 100 - i, -1);  // 80 to 100
  }
  EXPECT_EQ(stats_of(rows.finish()).call_p10_ns, 82);
  EXPECT_EQ(stats_of(TestProfile().finish()).call_p10_ns, 0);
}

TEST(Launches, IntervalsEndAtTheStep) {
  const auto profile = TestProfile()
                           .call(50, 1, 1)   // warm-up
                           .call(55, 1, 2)   // warm-up
                           .call(110, 1, 3)  // first of its step
                           .call(120, 1, 4)
                           .call(125, 1, 5, ApiKind::Synchronize)
                           .call(150, 1, 6)
                           .call(290, 1, 7)
                           .call(299, 1, 8)
                           .call(900, 1, 9)  // in no step
                           .call(901, 1, 10)
                           .finish();
  EXPECT_EQ(launch_interval_median_ns(profile, even_steps(3, 100, 1)), 10) << "of 10, 30 and 9";
  EXPECT_EQ(launch_interval_median_ns(profile, Steps{}), 0);
}

}  // namespace
}  // namespace foretell::timeline
