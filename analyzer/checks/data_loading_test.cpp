// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "analyzer/checks/test_case.hpp"

namespace foretell::checks {
namespace {

using timeline::IdleClass;

TestTrace loading() {
  return steps_of([](TestTrace& trace, std::int64_t begin) {
    multiply(trace, begin);
    trace.range(begin + 610 * kUs, 390 * kUs, "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__");
  });
}

TestView input_idle(std::int64_t ns) { return loading().view().idle(IdleClass::Input, ns); }

class DataLoadingTest : public testing::TestWithParam<CheckCase> {};

TEST_P(DataLoadingTest, Says) { expect_case("data_loading", GetParam()); }

INSTANTIATE_TEST_SUITE_P(
    Checks, DataLoadingTest,
    testing::Values(
        CheckCase{
            "Fires", [] { return loading().view(); }, Verdict::Binds,
            "the device is idle 390 us of the 1.00 ms step (39.0 %) while the host is in the data loader",
            1000.0 / 610},
        CheckCase{"StaysSilent", [] { return multiplying_steps().view(); }, Verdict::Clear,
                  "the device never waits for the data loader", 1},
        CheckCase{"Border", [] { return input_idle(100'000); }, Verdict::Binds, "10.0 %", 1000.0 / 900},
        CheckCase{"JustBelow", [] { return input_idle(99'999); }, Verdict::Clear, "while the host is in"}),
    case_name);

TEST(DataLoading, ShowsWhatWaitsForIt) {
  const Finding finding = loading().view().run("data_loading");

  ASSERT_FALSE(finding.examples.empty());
  EXPECT_EQ(finding.examples[0].what, kGemm);
  EXPECT_EQ(finding.examples[0].count, 1U);
  EXPECT_DOUBLE_EQ(evidence(finding, "input_idle_share"), 0.39);
}

}  // namespace
}  // namespace foretell::checks
