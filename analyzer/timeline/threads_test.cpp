// SPDX-License-Identifier: Apache-2.0
#include "analyzer/timeline/threads.hpp"

#include <gtest/gtest.h>

#include "analyzer/profile/profile_builder.hpp"
#include "analyzer/timeline/test_profile.hpp"
#include "analyzer/timeline/test_steps.hpp"

namespace foretell::timeline {
namespace {

using profile::ApiKind;
using profile::HostOpKind;

TEST(Threads, SelfAndUntracedAddUpToTheStep) {
  const auto profile = TestProfile()
                           .step(0, 100, "ProfilerStep#0")
                           .step(100, 100, "ProfilerStep#1")
                           .range(0, 200, "epoch")
                           .op(10, 20, "aten::mm")
                           .op(20, 30, "aten::add")  // 20 to 50: ten of it are covered
                           .call(45, 15, 1)
                           .op(90, 30, "aten::mm")  // ten in each step
                           .call(150, 50, 2)
                           .finish();
  Steps steps = even_steps(2, 100);
  steps.step_ns = 130;  // longer than its mark: the device took longer
  const std::vector<HostThread> threads = compute_threads(profile, steps);
  ASSERT_EQ(threads.size(), 1U);
  EXPECT_EQ(threads[0].self_cpu_ns, (60 + 70) / 2);
  EXPECT_EQ(threads[0].self_cpu_ns + threads[0].untraced_ns, 130);
  EXPECT_EQ(threads[0].api_ns, (15 + 50) / 2);
  EXPECT_EQ(threads[0].launches, 1);
  EXPECT_EQ(threads[0].total_launches, 2U);
  EXPECT_TRUE(threads[0].launching);
}

TEST(Threads, StepMarksThatAreOperatorsDoNotCount) {
  TestProfile rows;
  rows.step(0, 100, "ProfilerStep#0").op(0, 100, "ProfilerStep#0").op(40, 10, "aten::mm");
  const std::vector<HostThread> threads = compute_threads(rows.finish(), even_steps(1, 100));
  ASSERT_EQ(threads.size(), 1U);
  EXPECT_EQ(threads[0].self_cpu_ns, 10);
}

TEST(Threads, OneRangeOverManyStepsCountsInEach) {
  const auto profile = TestProfile().op(50, 275, "aten::mm").finish();
  const std::vector<HostThread> threads = compute_threads(profile, even_steps(4, 100, 1));
  ASSERT_EQ(threads.size(), 1U);
  EXPECT_EQ(threads[0].self_cpu_ns, 100) << "100, 100 and 25 in the steady steps";
}

struct WaitCase {
  const char* name;
  const char* frame;
  std::int64_t self_cpu_ns;
};

class WaitTest : public testing::TestWithParam<WaitCase> {};

TEST_P(WaitTest, FramesThatSleepAreNoWork) {
  const auto profile = TestProfile()
                           .op(0, 200, "worker.py(7): run", -1, HostOpKind::PythonFunction)
                           .op(20, 100, GetParam().frame, -1, HostOpKind::PythonFunction)
                           .finish();
  const std::vector<HostThread> threads = compute_threads(profile, even_steps(1, 200));
  ASSERT_EQ(threads.size(), 1U);
  EXPECT_EQ(threads[0].self_cpu_ns, GetParam().self_cpu_ns);
  EXPECT_FALSE(threads[0].launching);
}

INSTANTIATE_TEST_SUITE_P(
    Threads, WaitTest,
    testing::Values(WaitCase{"Condition", "threading.py(359): wait", 100},
                    WaitCase{"Lock", "<built-in method acquire of _thread.lock object at 0x7f00>", 100},
                    WaitCase{"Selector", "selectors.py(468): select", 100},
                    WaitCase{"Sleep", "<built-in function sleep>", 100},
                    WaitCase{"Work", "train.py(359): wait", 200}),
    [](const auto& row) { return row.param.name; });

TEST(Threads, MostLaunchesFirstAndThreadsWithRangesOnlyAreLeftOut) {
  profile::ProfileBuilder builder;
  profile::Profile& tables = builder.profile();
  const auto thread = [&](std::int64_t tid) { return builder.thread({.number = 1}, {.number = tid}); };
  const StringId name = tables.strings.intern("aten::mm");
  tables.host_ops.append({.start_ns = 0, .duration_ns = 90, .name = name, .thread = thread(1)});
  tables.host_ops.append({.start_ns = 0,
                          .duration_ns = 90,
                          .name = name,
                          .thread = thread(2),
                          .kind = HostOpKind::UserAnnotation});
  tables.api_calls.append(
      {.start_ns = 5, .duration_ns = 1, .thread = thread(3), .kind = ApiKind::KernelLaunch});
  const std::vector<HostThread> threads = compute_threads(builder.finish(), even_steps(1, 100));
  ASSERT_EQ(threads.size(), 2U);
  EXPECT_EQ(threads[0].thread, 2U);
  EXPECT_EQ(threads[0].untraced_ns, 99);
  EXPECT_EQ(threads[1].thread, 0U);
}

TEST(Threads, BrokenDurationsAndNoSteps) {
  const auto profile = TestProfile().op(50, -20, "aten::mm").call(60, -5, 1).finish();
  const std::vector<HostThread> threads = compute_threads(profile, even_steps(1, 100));
  ASSERT_EQ(threads.size(), 1U);
  EXPECT_EQ(threads[0].self_cpu_ns, 0);
  EXPECT_EQ(threads[0].untraced_ns, 100);
  EXPECT_EQ(compute_threads(profile, Steps{}).at(0).untraced_ns, 0);
}

}  // namespace
}  // namespace foretell::timeline
