// SPDX-License-Identifier: Apache-2.0
#include <limits>
#include <string>

#include "analyzer/checks/test_case.hpp"

namespace foretell::checks {
namespace {

// Four times a range of the user's of that length around the launches of 600 us of device work.
TestTrace timed(std::int64_t ns, std::string_view name = "forward", bool wait = false) {
  TestTrace trace;
  for (std::int64_t begin = 0; begin < 4 * kStepNs; begin += kStepNs) {
    trace.range(begin, ns, name);
    multiply(trace, begin);
    if (wait) {
      trace.call(begin + 20 * kUs, 2 * kUs, 3000 + begin / kUs, profile::ApiKind::Synchronize, -1,
                 "cudaStreamSynchronize");
    }
  }
  return trace;
}

TestView blocking(std::uint64_t launches, std::uint64_t of) {
  TestView test = multiplying_steps().view();
  test.timeline.launches.blocking_launches = launches;
  test.timeline.launches.linked_kernel_launches = of;
  return test;
}

class TimingTest : public testing::TestWithParam<CheckCase> {};

TEST_P(TimingTest, Says) { expect_case("timing", GetParam()); }

INSTANTIATE_TEST_SUITE_P(
    Checks, TimingTest,
    testing::Values(
        CheckCase{
            "Unwaited", [] { return timed(100 * kUs).view(); }, Verdict::Clear,
            "'forward' is a range of 100 us on the host, 600 us of device work: a timer around it lacks a "
            "synchronize"},
        CheckCase{"StaysSilent", [] { return multiplying_steps().view(); }, Verdict::Clear,
                  "launches do not block, and no range of yours ends long before its device work"},
        CheckCase{"Waited", [] { return timed(100 * kUs, "forward", true).view(); }, Verdict::Clear,
                  "no range of yours"},
        CheckCase{"Border", [] { return timed(300'000).view(); }, Verdict::Clear, "'forward'"},
        CheckCase{"JustBelow", [] { return timed(300'001).view(); }, Verdict::Clear, "no range of yours"},
        CheckCase{"Frameworks", [] { return timed(100 * kUs, "Optimizer.step#SGD.step").view(); },
                  Verdict::Clear, "no range of yours"},
        CheckCase{"Blocking", [] { return blocking(14, 15); }, Verdict::Binds,
                  "14 of 15 launches return only when their kernel is done: launches are synchronous "
                  "(CUDA_LAUNCH_BLOCKING or a debug mode), the trace is not representative"},
        CheckCase{"FewBlock", [] { return blocking(13, 15); }, Verdict::Clear, "launches do not block"},
        CheckCase{"BareTimeCantBe", [] { return multiplying_steps().view(500 * kUs); }, Verdict::Binds,
                  "reported 500 us < device 600 us: the timing lacks a synchronize"},
        CheckCase{"AbsurdRange",
                  [] { return timed(std::numeric_limits<std::int64_t>::max() / 2 + 1).view(); },
                  Verdict::Clear, "no range of yours"}),
    case_name);

TEST(Timing, ShowsTheRangesMostWorkFirst) {
  const Finding finding = timed(100 * kUs).view().run("timing");

  ASSERT_EQ(finding.examples.size(), static_cast<std::size_t>(kSteps));
  EXPECT_EQ(finding.examples[0].what, "forward");
  EXPECT_EQ(finding.examples[0].time_ns, 600 * kUs);
}

TEST(Timing, SaysHowToUnblock) {
  EXPECT_THAT(blocking(15, 15).run("timing").remedy, testing::HasSubstr("unset CUDA_LAUNCH_BLOCKING"));
}

}  // namespace
}  // namespace foretell::checks
