// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "analyzer/checks/test_case.hpp"

namespace foretell::checks {
namespace {

using timeline::IdleClass;

TestView launch_idle(TestTrace trace, std::int64_t ns) { return trace.view().idle(IdleClass::Launch, ns); }

TestView replays() {
  return steps_of([](TestTrace& trace, std::int64_t begin) {
           trace.replay(begin, begin + 10 * kUs, 100 * kUs, 9);
         })
      .view();
}

TestView costly_replay() {
  TestView test = launch_idle(multiplying_steps(), 200 * kUs);
  for (cost::Constant& constant : test.constants) {
    constant.low = constant.name == "graph_launch_ns" ? 950e3 : constant.low;
  }
  return test;
}

TestView with_inputs(double bytes) {
  TestView test = launch_idle(multiplying_steps(), 200 * kUs);
  test.input_bytes = bytes;
  return test;
}

// One kernel a step.
TestView single_kernel() {
  return steps_of(
             [](TestTrace& trace, std::int64_t begin) { trace.launch(begin, begin + 10 * kUs, 600 * kUs); })
      .view();
}

class LaunchTest : public testing::TestWithParam<CheckCase> {};

TEST_P(LaunchTest, Says) { expect_case("launch", GetParam()); }

INSTANTIATE_TEST_SUITE_P(
    Checks, LaunchTest,
    testing::Values(
        CheckCase{"Fires", [] { return multiplying_steps().view(); }, Verdict::Binds,
                  "the device waits 400 us of the 1.00 ms step (40.0 %) for the host, which issues 4 "
                  "launches one by "
                  "one, one every",
                  1000.0 / 600},
        CheckCase{
            "StaysSilent", [] { return launch_idle(multiplying_steps(), 10 * kUs); }, Verdict::Clear,
            "the device waits 10.0 us of the 1.00 ms step (1.0 %) for the host to issue ops; its queue is"},
        CheckCase{"Border", [] { return launch_idle(multiplying_steps(), 100'000); }, Verdict::Binds,
                  "10.0 %", 1000.0 / 900},
        CheckCase{"JustBelow", [] { return launch_idle(multiplying_steps(), 99'999); }, Verdict::Clear,
                  "queue"},
        CheckCase{"Replays", replays, Verdict::Clear,
                  "100.0 % of the kernels are inside graph replays already: none left to gain"},
        CheckCase{"ReplayCostsAsMuch", costly_replay, Verdict::Clear, "but a replay costs 950 us at least",
                  1000.0 / 950},
        // 100 MB at 1000 GB/s, read and written
        CheckCase{"CopiesOfInputs", [] { return with_inputs(25e6); }, Verdict::Binds,
                  "graph mode would add 50.0 us for copying its inputs", 1000.0 / 850},
        CheckCase{"CopiesCostMore", [] { return with_inputs(100e6); }, Verdict::Clear,
                  "but a replay costs 1.00 ms", 1},
        CheckCase{"OneKernel", single_kernel, Verdict::Clear,
                  "for the host to issue ops; 1 kernel a step is too little to forecast from, and too small"},
        CheckCase{
            "Stacks", [] { return multiplying_steps().with_stacks().view(); }, Verdict::Unknown,
            "the profiler may have made the host up to 1.8x slower, and then too little is left of it; a "
            "bare step "
            "time (--wall-ms) tells",
            1000.0 / 600},
        CheckCase{"Shapes", [] { return multiplying_steps().with_shapes().view(); }, Verdict::Unknown,
                  "--wall-ms"},
        // 1 ms / 1.8 - 455 us = 100.6 us
        CheckCase{"StacksCantExplainIt",
                  [] { return launch_idle(multiplying_steps(455 * kUs).with_stacks(), 545 * kUs); },
                  Verdict::Binds, "which issues", 1000.0 / 455},
        // 1 ms / 1.8 - 457 us = 98.6 us
        CheckCase{"StacksJustExplainIt",
                  [] { return launch_idle(multiplying_steps(457 * kUs).with_stacks(), 543 * kUs); },
                  Verdict::Unknown, "--wall-ms"},
        CheckCase{"StacksDoNotMatterBelowTheBorder",
                  [] { return launch_idle(multiplying_steps().with_stacks(), 50 * kUs); }, Verdict::Clear,
                  "5.0 %"},
        // 100 us of the 400 us were the profiler's
        CheckCase{"StacksWithBareTime", [] { return multiplying_steps().with_stacks().view(900 * kUs); },
                  Verdict::Binds, "the device waits 300 us of the 900 us step (33.3 %)", 900.0 / 600},
        CheckCase{"NoLaunchRecorded",
                  [] {
                    return steps_of([](TestTrace& trace, std::int64_t begin) {
                             trace.op(begin, 10 * kUs, "aten::mm");
                             trace.kernel(begin + 10 * kUs, 600 * kUs, -1);
                           })
                        .view();
                  },
                  Verdict::Unknown, "no launch call is recorded"}),
    case_name);

TEST(Launch, TellsWhatTheProfilerMayLeaveOfIt) {
  const Finding lean = multiplying_steps().view().run("launch");
  const Finding stacks = launch_idle(multiplying_steps(400 * kUs).with_stacks(), 600 * kUs).run("launch");

  EXPECT_TRUE(std::isnan(evidence(lean, "host_inflation_most")));
  EXPECT_DOUBLE_EQ(evidence(stacks, "host_inflation_most"), 1.8);
  EXPECT_NEAR(evidence(stacks, "launch_idle_least_ns"), 1e6 / 1.8 - 400e3, 1);
}

TEST(Launch, CountsWhatIsLaunched) {
  const Finding finding = multiplying_steps().view().run("launch");

  EXPECT_DOUBLE_EQ(evidence(finding, "kernels_per_step"), 4);
  EXPECT_DOUBLE_EQ(evidence(finding, "launches_per_step"), 4);
  EXPECT_DOUBLE_EQ(evidence(finding, "launch_idle_ns"), 400e3);
  EXPECT_DOUBLE_EQ(evidence(finding, "launch_interval_ns"), 5e3);
  ASSERT_FALSE(finding.examples.empty());
  EXPECT_EQ(finding.examples[0].what, kGemm);
}

}  // namespace
}  // namespace foretell::checks
