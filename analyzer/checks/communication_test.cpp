// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "analyzer/checks/test_case.hpp"

namespace foretell::checks {
namespace {

using timeline::IdleClass;

constexpr std::string_view kAllReduce = "ncclDevKernel_AllReduce_Sum_f32_RING_LL";

// An all-reduce of `ns` on a stream of its own, `hidden_ns` of it beside the kernels.
TestTrace reducing(std::int64_t ns, std::int64_t hidden_ns) {
  return steps_of([=](TestTrace& trace, std::int64_t begin) {
    multiply(trace, begin);
    trace.launch(begin + 50 * kUs, begin + 610 * kUs - hidden_ns, ns, kAllReduce, 20);
  });
}

TestView waiting(TestTrace trace, std::int64_t ns) { return trace.view().idle(IdleClass::Communication, ns); }

class CommunicationTest : public testing::TestWithParam<CheckCase> {};

TEST_P(CommunicationTest, Says) { expect_case("communication", GetParam()); }

INSTANTIATE_TEST_SUITE_P(
    Checks, CommunicationTest,
    testing::Values(
        CheckCase{"Fires", [] { return reducing(300 * kUs, 100 * kUs).view(); }, Verdict::Binds,
                  "collectives run alone for 200 us of the 1.00 ms step (20.0 %); 33.3 % of their time is "
                  "hidden behind "
                  "other kernels",
                  1000.0 / 800},
        CheckCase{
            "Hidden", [] { return reducing(300 * kUs, 300 * kUs).view(); }, Verdict::Clear,
            "collectives run alone for 0 ns of the 1.00 ms step (0.0 %); 100.0 % of their time is hidden", 1},
        CheckCase{"StaysSilent", [] { return multiplying_steps().view(); }, Verdict::Clear,
                  "no collective in the trace", 1},
        CheckCase{"Border", [] { return reducing(100'000, 0).view(); }, Verdict::Binds, "10.0 %",
                  1000.0 / 900},
        CheckCase{"JustBelow", [] { return reducing(99'999, 0).view(); }, Verdict::Clear, "10.0 %"},
        CheckCase{"OnTheHost", [] { return waiting(multiplying_steps(), 100'000); }, Verdict::Binds,
                  "the device waits 100 us of the 1.00 ms step (10.0 %) for a collective on the host",
                  1000.0 / 900},
        CheckCase{"OnTheHostJustBelow", [] { return waiting(multiplying_steps(), 99'999); }, Verdict::Clear,
                  "for a collective on the host"},
        CheckCase{"Both", [] { return waiting(reducing(60 * kUs, 0), 50 * kUs); }, Verdict::Binds,
                  "behind other kernels; the device waits 50.0 us for a collective on the host",
                  1000.0 / 890}),
    case_name);

TEST(Communication, TellsExposedFromHidden) {
  const Finding finding = reducing(300 * kUs, 100 * kUs).view().run("communication");

  EXPECT_DOUBLE_EQ(evidence(finding, "collectives"), kSteps);
  EXPECT_DOUBLE_EQ(evidence(finding, "communication_sum_ns"), kSteps * 300e3);
  EXPECT_DOUBLE_EQ(evidence(finding, "exposed_ns"), kSteps * 200e3);
  EXPECT_DOUBLE_EQ(evidence(finding, "hidden_ns"), kSteps * 100e3);
  EXPECT_DOUBLE_EQ(evidence(finding, "exposed_ns_per_step"), 200e3);
  EXPECT_DOUBLE_EQ(evidence(finding, "ceiling_with_all_idle"), 1e6 / 600e3);
}

}  // namespace
}  // namespace foretell::checks
