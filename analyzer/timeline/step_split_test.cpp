// SPDX-License-Identifier: Apache-2.0
#include "analyzer/timeline/step_split.hpp"

#include <gmock/gmock.h>

#include <numeric>

#include "analyzer/timeline/test_profile.hpp"
#include "analyzer/timeline/timeline.hpp"

namespace foretell::timeline {
namespace {

constexpr std::int64_t kUs = 1'000;

std::int64_t sum(const auto& parts) { return std::accumulate(parts.begin(), parts.end(), std::int64_t{0}); }

Timeline timeline_of(TestProfile& builder, std::optional<std::int64_t> wall_ns = std::nullopt) {
  return compute_timeline(builder.finish(), {.wall_ns = wall_ns});
}

// `steps` steps of 100 us each with one kernel, which begins 10 us after its launch.
TestProfile steps_of(int steps, std::int64_t kernel_ns) {
  TestProfile profile;
  for (int i = 0; i < steps; ++i) {
    const std::int64_t begin = i * 100 * kUs;
    profile.step(begin, 100 * kUs, "ProfilerStep#" + std::to_string(i))
        .call(begin, 5 * kUs, i + 1)
        .kernel(begin + 10 * kUs, kernel_ns, i + 1);
  }
  return profile;
}

TEST(StepSplit, BusyAndIdleClassesAddUpToTheStep) {
  TestProfile profile = steps_of(5, 30 * kUs);

  const Timeline timeline = timeline_of(profile);

  ASSERT_TRUE(timeline.split.known);
  EXPECT_EQ(timeline.split.step_ns, 100 * kUs);
  EXPECT_EQ(timeline.split.busy_ns, 30 * kUs);
  EXPECT_EQ(sum(timeline.split.busy), 30 * kUs);
  EXPECT_EQ(sum(timeline.split.idle_ns), 70 * kUs);
  for (const StepSplit& step : timeline.split.steps) {
    EXPECT_EQ(sum(step.busy_ns) + sum(step.idle_ns), step.end_ns - step.begin_ns);
  }
}

TEST(StepSplit, AStepOfAHostThatRunsAheadLiesWhereItsWorkRuns) {
  TestProfile profile;
  for (int i = 0; i < 4; ++i) {
    profile.step(i * 10 * kUs, 10 * kUs, "ProfilerStep#" + std::to_string(i))
        .call(i * 10 * kUs, 5 * kUs, i + 1)
        .kernel(10 * kUs + i * 50 * kUs, 50 * kUs, i + 1);
  }

  const Timeline timeline = timeline_of(profile);

  EXPECT_EQ(timeline.split.steps[2].begin_ns, 110 * kUs);  // where the work of the step before it ends
  EXPECT_EQ(timeline.split.steps[2].end_ns, 160 * kUs);
  EXPECT_EQ(sum(timeline.split.steps[2].idle_ns), 0);
  EXPECT_EQ(timeline.split.busy_ns, timeline.split.step_ns);
}

TEST(StepSplit, ABareTimeTakesTheProfilersShareOutOfHostTime) {
  TestProfile profile = steps_of(5, 30 * kUs);

  const Timeline timeline = timeline_of(profile, 40 * kUs);

  EXPECT_EQ(timeline.split.step_ns, 40 * kUs);
  EXPECT_EQ(timeline.split.busy_ns, 30 * kUs);
  EXPECT_EQ(sum(timeline.split.idle_ns), 10 * kUs);
  EXPECT_EQ(timeline.split.distortion_ns, 60 * kUs);
}

TEST(StepSplit, WhateverBareTimeIsGivenNoClassGoesBelowZero) {
  for (std::int64_t wall_ns = 30 * kUs; wall_ns <= 100 * kUs; wall_ns += 997) {
    TestProfile profile = steps_of(5, 30 * kUs);
    profile.call(50 * kUs, 3'333, 90, profile::ApiKind::Synchronize, -1, "cudaStreamSynchronize");
    profile.call(150 * kUs, 3'331, 91, profile::ApiKind::Allocate, -1, "cudaMalloc");
    profile.call(250 * kUs, 3'337, 92, profile::ApiKind::Synchronize, -1, "cudaStreamSynchronize");

    const Timeline timeline = timeline_of(profile, wall_ns);

    EXPECT_EQ(timeline.split.busy_ns + sum(timeline.split.idle_ns), timeline.split.step_ns);
    for (const std::int64_t ns : timeline.split.idle_ns) {
      EXPECT_GE(ns, 0) << wall_ns;
    }
  }
}

TEST(StepSplit, ABareTimeBelowTheDevicesWorkIsNotUsed) {
  TestProfile profile = steps_of(5, 30 * kUs);

  const Timeline timeline = timeline_of(profile, 20 * kUs);

  EXPECT_TRUE(timeline.split.wall_below_busy);
  EXPECT_EQ(timeline.split.step_ns, 100 * kUs);
  EXPECT_EQ(timeline.split.distortion_ns, 0);
}

TEST(StepSplit, ARareWaitIsNotPartOfTheTypicalStep) {
  TestProfile profile;
  for (int i = 0; i < 9; ++i) {
    const std::int64_t begin = i * 100 * kUs + (i >= 5 ? 9'900 * kUs : 0);
    profile.step(begin, i == 4 ? 10'000 * kUs : 100 * kUs, "ProfilerStep#" + std::to_string(i))
        .call(begin, 5 * kUs, i + 1)
        .kernel(begin + 10 * kUs, 80 * kUs, i + 1);
  }

  const Timeline timeline = timeline_of(profile);

  EXPECT_EQ(timeline.split.step_ns, 100 * kUs);
  EXPECT_EQ(sum(timeline.split.idle_ns), 20 * kUs);
  EXPECT_EQ(of(timeline.split.idle_ns, IdleClass::UnknownWait), 0);
  EXPECT_GT(of(timeline.split.steps[4].idle_ns, IdleClass::UnknownWait), 9'000 * kUs);
}

TEST(StepSplit, WithoutDeviceWorkNothingIsKnown) {
  TestProfile profile;
  profile.op(0, 10 * kUs, "aten::mul");

  EXPECT_FALSE(timeline_of(profile).split.known);
}

}  // namespace
}  // namespace foretell::timeline
