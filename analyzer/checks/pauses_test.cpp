// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "analyzer/checks/test_case.hpp"

namespace foretell::checks {
namespace {

using timeline::IdleClass;

// Nothing is recorded of the host for 700 us, longer than issuing an op takes.
TestTrace silent() { return multiplying_steps(300 * kUs); }

// As if every steady step held `ns` of such idle time.
TestView pausing(IdleClass idle_class, std::int64_t ns) {
  TestView test = multiplying_steps().view();
  for (std::size_t i = 0; i < test.timeline.split.steps.size(); ++i) {
    timeline::StepSplit& step = test.timeline.split.steps[i];
    step.begin_ns = static_cast<std::int64_t>(i) * kStepNs;
    step.end_ns = step.begin_ns + kStepNs;
    step.idle_ns = {};
    timeline::of(step.idle_ns, idle_class) = ns;
  }
  test.idle(idle_class, ns);
  return test;
}

class PausesTest : public testing::TestWithParam<CheckCase> {};

TEST_P(PausesTest, Says) { expect_case("pauses", GetParam()); }

INSTANTIATE_TEST_SUITE_P(
    Checks, PausesTest,
    testing::Values(
        CheckCase{"Fires", [] { return silent().view(); }, Verdict::Binds, "of the steady steps"},
        CheckCase{"StaysSilent", [] { return multiplying_steps().view(); }, Verdict::Clear,
                  "no pause: the host is never silent for long while the device is idle", 1},
        CheckCase{"Border", [] { return pausing(IdleClass::UnknownWait, 100'000); }, Verdict::Binds,
                  "for 400 us of the steady steps (10.0 %) the device is idle and nothing recorded says why",
                  1000.0 / 900},
        CheckCase{"JustBelow", [] { return pausing(IdleClass::UnknownWait, 99'999); }, Verdict::Clear,
                  "the device is idle and nothing recorded says why"},
        CheckCase{"Lock", [] { return pausing(IdleClass::Lock, 200 * kUs); }, Verdict::Binds,
                  "the device is idle while the host waits for a lock of its own", 1000.0 / 800},
        CheckCase{"GarbageCollection", [] { return pausing(IdleClass::GarbageCollection, 200 * kUs); },
                  Verdict::Binds, "the device is idle while the host collects garbage", 1000.0 / 800},
        CheckCase{"OtherIdleTime", [] { return pausing(IdleClass::Launch, 400 * kUs); }, Verdict::Clear,
                  "no pause"}),
    case_name);

TEST(Pauses, CountBurstsInFewSteps) {
  TestView test = pausing(IdleClass::UnknownWait, 0);
  timeline::of(test.timeline.split.steps[2].idle_ns, IdleClass::GarbageCollection) = 800 * kUs;

  const Finding finding = test.run("pauses");

  EXPECT_EQ(finding.verdict, Verdict::Binds);
  EXPECT_DOUBLE_EQ(evidence(finding, "pause_ns_per_step"), 0);
  EXPECT_DOUBLE_EQ(evidence(finding, "pause_share_of_steady_steps"), 0.2);
}

}  // namespace
}  // namespace foretell::checks
