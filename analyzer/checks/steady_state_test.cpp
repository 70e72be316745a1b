// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "analyzer/checks/test_case.hpp"

namespace foretell::checks {
namespace {

// Steps of those lengths in us; the device works in each.
TestView steps(const std::vector<std::int64_t>& lengths_us) {
  TestTrace trace;
  std::int64_t at = 0;
  for (std::size_t i = 0; i < lengths_us.size(); ++i) {
    trace.step(at, lengths_us[i] * kUs, "ProfilerStep#" + std::to_string(i));
    multiply(trace, at);
    at += lengths_us[i] * kUs;
  }
  return trace.view();
}

class SteadyStateTest : public testing::TestWithParam<CheckCase> {};

TEST_P(SteadyStateTest, Says) { expect_case("steady_state", GetParam()); }

INSTANTIATE_TEST_SUITE_P(
    Checks, SteadyStateTest,
    testing::Values(
        CheckCase{"StaysSilent", [] { return steps({1000, 1010, 1000, 1020}); }, Verdict::Clear,
                  "4 steady steps of 1.00 ms to 1.02 ms"},
        CheckCase{
            "Outlier", [] { return steps({1000, 1000, 3000, 1000, 1000}); }, Verdict::Binds,
            "1 of 5 steps takes more than 1.5 times the median of 1.00 ms: mean 1.40 ms against median 1.00 "
            "ms, so the mean misleads"},
        CheckCase{"Outliers", [] { return steps({1000, 1000, 3000, 1000, 2000}); }, Verdict::Binds,
                  "2 of 5 steps take more than"},
        CheckCase{"Border", [] { return steps({1000, 1000, 1500, 1000, 1000}); }, Verdict::Clear,
                  "to 1.50 ms"},
        CheckCase{"JustAbove", [] { return steps({1000, 1000, 1501, 1000, 1000}); }, Verdict::Binds,
                  "1 of 5 steps"},
        CheckCase{"WarmUp", [] { return steps({9000, 1000, 1001, 1002, 1000}); }, Verdict::Clear,
                  "4 steady steps of 1.00 ms to 1.00 ms, 1 warm-up step left out"},
        CheckCase{"OneStep", [] { return steps({1000}); }, Verdict::Unknown,
                  "1 step: too few to tell a typical step from an odd one"},
        CheckCase{"TwoSteps", [] { return steps({1000, 1000}); }, Verdict::Unknown, "2 steps: too few"},
        CheckCase{"NoStep", [] { return TestTrace().view(); }, Verdict::Unknown, "the trace holds no step"},
        CheckCase{"Setup",
                  [] {
                    TestTrace trace = multiplying_steps();
                    trace.call(2 * kStepNs + 700 * kUs, 60 * kMs, 500, profile::ApiKind::Other, -1,
                               "cuModuleLoadData");
                    return trace.view();
                  },
                  Verdict::Binds, "initialisation lies inside the window: record after some warm-up steps"}),
    case_name);

TEST(SteadyState, ShowsTheOutliersLongestFirst) {
  const Finding finding = steps({1000, 1000, 2000, 3000, 1000, 1000}).run("steady_state");

  ASSERT_EQ(finding.examples.size(), 2U);
  EXPECT_EQ(finding.examples[0].what, "ProfilerStep#3");
  EXPECT_EQ(finding.examples[0].time_ns, 3 * kMs);
  EXPECT_EQ(finding.examples[1].what, "ProfilerStep#2");
  EXPECT_DOUBLE_EQ(evidence(finding, "outlier_steps"), 2);
  EXPECT_DOUBLE_EQ(evidence(finding, "step_median_ns"), 1e6);
  EXPECT_DOUBLE_EQ(evidence(finding, "step_longest_ns"), 3e6);
}

}  // namespace
}  // namespace foretell::checks
