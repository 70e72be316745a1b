// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "analyzer/checks/test_case.hpp"

namespace foretell::checks {
namespace {

using profile::ApiKind;
using timeline::IdleClass;

// In each step `waits` waits of the host, the first until 700 us, 90 us after the kernels end.
TestTrace waiting(int waits = 1, int steps = kSteps) {
  return steps_of(
      [=](TestTrace& trace, std::int64_t begin) {
        multiply(trace, begin);
        for (int i = 0; i < waits; ++i) {
          trace.call(begin + (100 + 610 * i) * kUs, (i == 0 ? 600 : 10) * kUs, 1000 + begin / kUs + i,
                     ApiKind::Synchronize, -1, "cudaStreamSynchronize");
        }
      },
      steps);
}

// .item(): a copy of 4 bytes that blocks.
TestTrace reading() {
  return steps_of([](TestTrace& trace, std::int64_t begin) {
    multiply(trace, begin);
    trace.copy(begin + 100 * kUs, begin + 640 * kUs, begin + 612 * kUs, 2 * kUs,
               "Memcpy DtoH (Device -> Pageable)", 4);
  });
}

TestTrace closing() {
  TestTrace trace = multiplying_steps();
  trace.call(kSteps * kStepNs, 10 * kUs, 5000, ApiKind::Synchronize, -1, "cudaDeviceSynchronize");
  return trace;
}

TestView sync_idle(TestTrace trace, std::int64_t ns) { return trace.view().idle(IdleClass::Sync, ns); }

class HostSyncsTest : public testing::TestWithParam<CheckCase> {};

TEST_P(HostSyncsTest, Says) { expect_case("host_syncs", GetParam()); }

INSTANTIATE_TEST_SUITE_P(
    Checks, HostSyncsTest,
    testing::Values(
        CheckCase{"Fires", [] { return waiting().view(); }, Verdict::Binds,
                  "1 wait a step: the device runs dry and is idle 400 us of 1.00 ms (40.0 %) until the host "
                  "has issued "
                  "anew; it also cuts a CUDA graph",
                  1000.0 / 600},
        CheckCase{"TwoWaits", [] { return waiting(2).view(); }, Verdict::Binds,
                  "2 waits a step: the device runs dry"},
        CheckCase{"Reads", [] { return reading().view(); }, Verdict::Binds,
                  "1 wait a step, reading a value: the"},
        CheckCase{"StaysSilent", [] { return multiplying_steps().view(); }, Verdict::Clear,
                  "the host does not wait for the device inside the step", 1},
        CheckCase{"ClosingSync", [] { return closing().view(); }, Verdict::Clear,
                  "the closing synchronisation is the profiler's"},
        CheckCase{"Harmless", [] { return sync_idle(waiting(2), 5 * kUs); }, Verdict::Clear,
                  "the host waits 2 times a step for 610 us, of which the device works 510 us: 5.00 us idle "
                  "(0.5 % of "
                  "the step), so the waits are harmless; each also cuts a CUDA graph"},
        CheckCase{
            "OneHarmless", [] { return sync_idle(waiting(), 5 * kUs); }, Verdict::Clear,
            "the host waits once a step for 600 us, of which the device works 510 us: 5.00 us idle (0.5 % of "
            "the step), so the wait is harmless; it also cuts"},
        CheckCase{"Border", [] { return sync_idle(waiting(), 100'000); }, Verdict::Binds, "10.0 %",
                  1000.0 / 900},
        CheckCase{"JustBelow", [] { return sync_idle(waiting(), 99'999); }, Verdict::Clear,
                  "the wait is no large loss"},
        CheckCase{"NotInMostSteps", [] { return sync_idle(multiplying_steps(), 400 * kUs); }, Verdict::Binds,
                  "waits of the host, though not in every step: the device runs dry and is idle 400 us"},
        CheckCase{"FewInFewSteps", [] { return sync_idle(multiplying_steps(), 5 * kUs); }, Verdict::Clear,
                  "the host waits in fewer than half of the steps: 5.00 us idle (0.5 % of the step)"}),
    case_name);

TEST(HostSyncs, TellTheWaitFromTheDevicesWork) {
  const Finding finding = waiting().view().run("host_syncs");

  EXPECT_DOUBLE_EQ(evidence(finding, "syncs_per_step"), 1);
  EXPECT_DOUBLE_EQ(evidence(finding, "wait_ns_per_step"), 600e3);
  EXPECT_DOUBLE_EQ(evidence(finding, "busy_ns_in_wait_per_step"), 510e3);
  ASSERT_EQ(finding.examples.size(), 1U);
  EXPECT_EQ(finding.examples[0].what, "cudaStreamSynchronize after sm80_xmma_gemm_bf16bf16");
  EXPECT_EQ(finding.examples[0].time_ns, 90 * kUs);
}

}  // namespace
}  // namespace foretell::checks
