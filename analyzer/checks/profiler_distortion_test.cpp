// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "analyzer/checks/test_case.hpp"

namespace foretell::checks {
namespace {

TestView without_ratio() {
  TestView test = multiplying_steps().with_stacks().view();
  test.constants.pop_back();
  return test;
}

class ProfilerDistortionTest : public testing::TestWithParam<CheckCase> {};

TEST_P(ProfilerDistortionTest, Says) { expect_case("profiler_distortion", GetParam()); }

INSTANTIATE_TEST_SUITE_P(
    Checks, ProfilerDistortionTest,
    testing::Values(
        CheckCase{"Fires", [] { return multiplying_steps().view(800 * kUs); }, Verdict::Binds,
                  "traced 1.00 ms, bare 800 us: the profiler made the step 1.25x as long; 200 us taken out"},
        CheckCase{"StaysSilent", [] { return multiplying_steps().view(); }, Verdict::Clear,
                  "recorded without stacks and shapes: host times are little inflated"},
        CheckCase{"Border", [] { return multiplying_steps().view(900 * kUs); }, Verdict::Binds,
                  "1.11x as long"},
        CheckCase{"JustBelow", [] { return multiplying_steps().view(900'001); }, Verdict::Clear,
                  "1.11x as long"},
        CheckCase{"BareTimeIsLonger", [] { return multiplying_steps().view(1040 * kUs); }, Verdict::Clear,
                  "traced 1.00 ms, bare 1.04 ms: the profiler did not make the step longer"},
        CheckCase{"BareTimeIsOfAnotherStep", [] { return multiplying_steps().view(1100 * kUs); },
                  Verdict::Unknown,
                  "the bare time given (1.10 ms) is more than the traced step (1.00 ms): it is not that of "
                  "this step"},
        CheckCase{"BareTimeCantBe", [] { return multiplying_steps().view(500 * kUs); }, Verdict::Unknown,
                  "the bare time given (500 us) is less than the device's work (600 us): it can't be used"},
        CheckCase{"Stacks", [] { return multiplying_steps().with_stacks().view(); }, Verdict::Unknown,
                  "recorded with stacks: host times are up to 1.8x too long, and no bare step time is given"},
        CheckCase{"Shapes", [] { return multiplying_steps().with_shapes().view(); }, Verdict::Unknown,
                  "recorded with shapes: "},
        CheckCase{"Both", [] { return multiplying_steps().with_stacks().with_shapes().view(); },
                  Verdict::Unknown, "recorded with stacks and shapes: "},
        CheckCase{
            "RatioUnknown", without_ratio, Verdict::Unknown,
            "recorded with stacks: host times are too long, and no bare step time is given (--wall-ms)"},
        CheckCase{"StacksWithBareTime", [] { return multiplying_steps().with_stacks().view(1000 * kUs); },
                  Verdict::Clear, "the profiler did not make the step longer"}),
    case_name);

TEST(ProfilerDistortion, SaysWhatWasTakenOut) {
  const Finding finding = multiplying_steps().with_stacks().view(800 * kUs).run("profiler_distortion");

  EXPECT_DOUBLE_EQ(evidence(finding, "distortion_ns"), 200e3);
  EXPECT_DOUBLE_EQ(evidence(finding, "traced_over_bare_ratio"), 1.25);
  EXPECT_DOUBLE_EQ(evidence(finding, "stacks_recorded"), 1);
  EXPECT_DOUBLE_EQ(evidence(finding, "shapes_recorded"), 0);
}

}  // namespace
}  // namespace foretell::checks
