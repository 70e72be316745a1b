// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "analyzer/checks/test_case.hpp"

namespace foretell::checks {
namespace {

using timeline::IdleClass;

// The host sorts for longer than issuing an op takes, after the kernels or before them.
TestTrace sorting(bool first) {
  return steps_of([=](TestTrace& trace, std::int64_t begin) {
    trace.op(begin + (first ? 5 : 320) * kUs, 660 * kUs, "aten::sort");
    multiply(trace, begin + (first ? 670 : 0) * kUs, 300 * kUs);
  });
}

TestView host_idle(TestTrace trace, std::int64_t ns) { return trace.view().idle(IdleClass::Host, ns); }

class HostWorkTest : public testing::TestWithParam<CheckCase> {};

TEST_P(HostWorkTest, Says) { expect_case("host_work", GetParam()); }

INSTANTIATE_TEST_SUITE_P(
    Checks, HostWorkTest,
    testing::Values(
        CheckCase{"Fires", [] { return sorting(false).view(); }, Verdict::Binds,
                  "the device waits 700 us of the 1.00 ms step (70.0 %) for host work without a launch, "
                  "mostly before "
                  "sm80_xmma_gemm",
                  1000.0 / 300},
        CheckCase{"Preprocessing", [] { return sorting(true).view(); }, Verdict::Binds,
                  "before the first kernel of the step (preprocessing?)"},
        CheckCase{"StaysSilent", [] { return multiplying_steps().view().idle(IdleClass::Launch, 400 * kUs); },
                  Verdict::Clear, "the device never waits for host work other than issuing ops", 1},
        CheckCase{"Border", [] { return host_idle(multiplying_steps(), 100'000); }, Verdict::Binds, "10.0 %",
                  1000.0 / 900},
        CheckCase{"JustBelow", [] { return host_idle(multiplying_steps(), 99'999); }, Verdict::Clear,
                  "the device waits 100 us"},
        CheckCase{"Stacks", [] { return host_idle(multiplying_steps().with_stacks(), 179 * kUs); },
                  Verdict::Unknown, "a bare step time (--wall-ms) tells", 1000.0 / 821},
        CheckCase{"Shapes", [] { return host_idle(multiplying_steps().with_shapes(), 179 * kUs); },
                  Verdict::Unknown, "--wall-ms"},
        // 181 us / 1.8 = 100.6 us
        CheckCase{"StacksCantExplainIt",
                  [] { return host_idle(multiplying_steps().with_stacks(), 181 * kUs); }, Verdict::Binds,
                  "18.1 %"},
        CheckCase{
            "StacksWithBareTime",
            [] { return multiplying_steps().with_stacks().view(900 * kUs).idle(IdleClass::Host, 100 * kUs); },
            Verdict::Binds, "11.1 %", 900.0 / 800}),
    case_name);

TEST(HostWork, NamesThePlaceOnce) {
  TestTrace trace = sorting(false);
  for (std::int64_t i = 0; i < kSteps; ++i) {
    trace.op(i * kStepNs, 990 * kUs, "work/train.py(42): step", -1, profile::HostOpKind::PythonFunction);
  }

  EXPECT_THAT(trace.view().run("host_work").reason,
              testing::HasSubstr("mostly before sm80_xmma_gemm_bf16bf16 (work/train.py(42): step)"));
}

TEST(HostWork, TellsWhatLiesBeforeTheFirstKernel) {
  EXPECT_NEAR(evidence(sorting(true).view().run("host_work"), "host_idle_before_first_kernel_ns"), 680e3,
              20e3);
}

}  // namespace
}  // namespace foretell::checks
