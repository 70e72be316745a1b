// SPDX-License-Identifier: Apache-2.0
#include "analyzer/timeline/steps.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "analyzer/timeline/test_profile.hpp"

namespace foretell::timeline {
namespace {

Steps steps_of(const profile::Profile& profile) {
  const Links links = link(profile);
  return find_steps(profile, links, audit_durations(profile, links));
}

// Steps of the given durations, one after the other.
profile::Profile marked(const std::vector<std::int64_t>& durations) {
  TestProfile profile;
  std::int64_t at = 0;
  for (std::size_t i = 0; i < durations.size(); ++i) {
    profile.step(at, durations[i], fmt::format("ProfilerStep#{}", i));
    at += durations[i];
  }
  return profile.finish();
}

struct WarmupCase {
  const char* name;
  std::vector<std::int64_t> durations;
  std::size_t warmup;
};

class WarmupTest : public testing::TestWithParam<WarmupCase> {};

TEST_P(WarmupTest, LeadingOutliersAreLeftOut) {
  const Steps steps = steps_of(marked(GetParam().durations));
  std::size_t warmup = 0;
  while (warmup < steps.all.size() && steps.all[warmup].warmup) {
    ++warmup;
  }
  EXPECT_EQ(warmup, GetParam().warmup);
  EXPECT_EQ(steps.steady, GetParam().durations.size() - GetParam().warmup);
}

INSTANTIATE_TEST_SUITE_P(Steps, WarmupTest,
                         testing::Values(WarmupCase{"FirstIsLong", {900, 100, 101, 99, 100}, 1},
                                         WarmupCase{"TwoAreLong", {900, 500, 100, 101, 99, 100}, 2},
                                         WarmupCase{"NoneIsLong", {100, 101, 99, 100}, 0},
                                         WarmupCase{"LastIsLong", {100, 101, 99, 900}, 0},
                                         WarmupCase{"LaterOnesVary", {180, 120, 200, 90, 170}, 0},
                                         WarmupCase{"TooFewToTell", {900, 100, 100}, 0},
                                         WarmupCase{"NeverMoreThanHalf", {900, 800, 700, 100, 100, 100}, 3},
                                         WarmupCase{"One", {100}, 0}),
                         [](const auto& row) { return row.param.name; });

TEST(Steps, CompilationMakesALeadingStepWarmup) {
  TestProfile profile;
  for (int i = 0; i < 5; ++i) {
    profile.step(i * 100, 100, fmt::format("ProfilerStep#{}", i));
  }
  profile.compilation(10, 20);
  const Steps steps = steps_of(profile.finish());
  EXPECT_TRUE(steps.all[0].warmup);
  EXPECT_FALSE(steps.all[1].warmup);
}

TEST(Steps, DeviceWorkGoesToTheStepThatLaunchedIt) {
  const Steps steps = steps_of(TestProfile()
                                   .step(0, 100, "ProfilerStep#0")
                                   .step(100, 100, "ProfilerStep#1")
                                   .call(10, 5, 1)
                                   .call(110, 5, 2)
                                   .kernel(150, 30, 1)
                                   .kernel(180, 40, 2)
                                   .finish());
  ASSERT_EQ(steps.all.size(), 2U);
  EXPECT_EQ(steps.all[0].busy_ns, 30);
  EXPECT_EQ(steps.all[1].busy_ns, 40);
}

TEST(Steps, StepTakesAtLeastItsDeviceWork) {
  // the host marks 10 ns per step and runs ahead of a device that needs 50
  const Steps steps = steps_of(TestProfile()
                                   .step(0, 10, "ProfilerStep#0")
                                   .step(10, 10, "ProfilerStep#1")
                                   .call(1, 1, 1)
                                   .call(11, 1, 2)
                                   .kernel(20, 50, 1)
                                   .kernel(70, 50, 2)
                                   .finish());
  EXPECT_EQ(steps.step_ns, 50);
  EXPECT_EQ(steps.busy_ns, 50);
  EXPECT_EQ(steps.all[0].duration_ns, 10);
}

TEST(Steps, UserRangesAreStepsWhereNoneAreMarked) {
  TestProfile profile;
  for (int i = 0; i < 4; ++i) {
    profile.range(i * 100, 90, fmt::format("train step {}", i))
        .range(i * 100, 3, fmt::format("train step {}", 10 + i));
    profile.call(i * 100 + 10, 5, i + 1).kernel(i * 100 + 20, 30, i + 1);
  }
  const Steps steps = steps_of(profile.finish());
  EXPECT_EQ(steps.kind, StepKind::UserRange);
  EXPECT_EQ(steps.steady, 4U);
  EXPECT_EQ(steps.step_ns, 90);
}

TEST(Steps, RangeThatHoldsFewLaunchesIsNoStep) {
  TestProfile profile;
  for (int i = 0; i < 4; ++i) {
    profile.range(i * 100, 20, fmt::format("optimizer {}", i));
    profile.call(i * 100 + 50, 5, 2 * i + 1).call(i * 100 + 60, 5, 2 * i + 2).call(i * 100 + 1, 5, 100 + i);
  }
  EXPECT_EQ(steps_of(profile.finish()).kind, StepKind::Whole);
}

// `loops` times the kernels of `body`, then those of `tail`; each with a launch of its own.
profile::Profile kernels(int loops, const std::vector<const char*>& body,
                         const std::vector<const char*>& tail, bool one_replay = false) {
  TestProfile profile;
  std::int64_t at = 0;
  std::int64_t id = 0;
  if (one_replay) {
    profile.call(0, 1, 1, profile::ApiKind::GraphLaunch);
  }
  const auto run = [&](const char* name) {
    at += 10;
    if (!one_replay) {
      profile.call(at - 5, 1, ++id);
    }
    profile.kernel(at, 5, one_replay ? 1 : id, name);
  };
  for (int i = 0; i < loops; ++i) {
    for (const char* name : body) {
      run(name);
    }
  }
  for (const char* name : tail) {
    run(name);
  }
  return profile.finish();
}

TEST(Steps, KernelsThatRepeatInOneOrderAreSteps) {
  const Steps steps = steps_of(kernels(6, {"embed", "gemm", "gelu", "gemm", "loss"}, {}));
  EXPECT_EQ(steps.kind, StepKind::KernelSequence);
  EXPECT_EQ(steps.all.size(), 6U);
  EXPECT_EQ(steps.step_ns, 50);
  EXPECT_EQ(steps.busy_ns, 25);
  EXPECT_EQ(steps.all[0].launches, 5U);
}

TEST(Steps, MarksThatOverlapEndWhereTheNextBegins) {
  TestProfile profile;
  for (int i = 0; i < 4; ++i) {
    profile.step(i * 100, 150, fmt::format("ProfilerStep#{}", i));
  }
  const Steps steps = steps_of(profile.finish());

  EXPECT_EQ(steps.all[0].duration_ns, 100);
  EXPECT_EQ(steps.all[3].duration_ns, 150);
  EXPECT_EQ(steps.overlapping_marks, 3U);
  EXPECT_EQ(steps.step_ns, 100);
}

// The host issues 3 kernels a step, 100 ahead of the device: what it does belongs to the step it is for.
TEST(Steps, HostTimesBelongToTheStepTheyIssue) {
  TestProfile profile;
  constexpr std::array kNames{"embed", "gemm", "loss"};
  for (int i = 0; i < 18; ++i) {
    profile.call(i * 10, 1, i + 1)
        .kernel(100 + i * 10, 5, i + 1, kNames[static_cast<std::size_t>(i) % kNames.size()]);
  }
  const Steps steps = steps_of(profile.finish());

  ASSERT_EQ(steps.kind, StepKind::KernelSequence);
  ASSERT_EQ(steps.all.size(), 6U);
  EXPECT_EQ(steps.all[2].start_ns, 160);
  EXPECT_EQ(steps.all[2].lead_ns, 100);
  EXPECT_EQ(step_at(steps.all, 0), 0U);
  EXPECT_EQ(step_at(steps.all, 60), 2U);
  EXPECT_EQ(step_at(steps.all, 89), 2U);
  EXPECT_EQ(step_at(steps.all, 150), 5U);
  EXPECT_EQ(step_at(steps.all, -1), 6U);
  EXPECT_EQ(step_at(steps.all, 1'000), 6U);
}

TEST(Steps, LoopMayStopWithinAStep) {
  EXPECT_EQ(steps_of(kernels(6, {"embed", "gemm", "gelu", "loss"}, {"embed", "gemm"})).all.size(), 6U);
}

TEST(Steps, LayersOfOneForwardPassAreNoSteps) {
  EXPECT_EQ(steps_of(kernels(64, {"norm", "gemm", "attention", "gemm"}, {"norm", "head"})).kind,
            StepKind::Whole);
}

TEST(Steps, LayersInsideOneReplayAreNoSteps) {
  EXPECT_EQ(steps_of(kernels(12, {"norm", "gemm", "attention"}, {}, true)).kind, StepKind::Whole);
}

TEST(Steps, EqualKernelsAreNoSteps) { EXPECT_EQ(steps_of(kernels(100, {"gemm"}, {})).kind, StepKind::Whole); }

TEST(Steps, TwoRoundsAreTooFew) {
  EXPECT_EQ(steps_of(kernels(2, {"a", "b", "c"}, {})).kind, StepKind::Whole);
}

TEST(Steps, UnlinkedKernelsOutsideEveryStepLeaveDeviceTimeUnknown) {
  const Steps steps = steps_of(TestProfile()
                                   .step(0, 10, "ProfilerStep#0")
                                   .step(10, 10, "ProfilerStep#1")
                                   .kernel(100, 5, 0)
                                   .kernel(110, 5, 0)
                                   .finish());
  EXPECT_FALSE(steps.device_time_known);
}

TEST(Steps, EmptyProfileHasNone) { EXPECT_TRUE(steps_of(TestProfile().finish()).all.empty()); }

}  // namespace
}  // namespace foretell::timeline
