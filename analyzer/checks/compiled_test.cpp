// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "analyzer/checks/test_case.hpp"

namespace foretell::checks {
namespace {

using timeline::IdleClass;

// Steps of so many compiled regions, each of which launches one kernel of the compiler's.
TestTrace regions(int count, std::int64_t busy_ns = 600 * kUs) {
  return steps_of([=](TestTrace& trace, std::int64_t begin) {
    trace.op(begin, 100 * kUs, "Torch-Compiled Region: 0/0");
    for (int i = 0; i < count; ++i) {
      const std::int64_t at = begin + i * 20 * kUs;
      trace.region(at, 10 * kUs, i);
      trace.launch(at, begin + 10 * kUs + i * busy_ns / count, busy_ns / count, "triton_poi_fused_add_0");
    }
  });
}

TestView idle_regions(TestTrace trace, IdleClass idle_class, std::int64_t ns) {
  return trace.view().idle(idle_class, ns);
}

// Compiled on the host, but the steps run eagerly.
TestView outside_the_steps() {
  TestTrace trace = multiplying_steps();
  trace.op(0, kUs, "aten::mm");
  trace.region(kSteps * kStepNs + kUs, 10 * kUs);
  return trace.view();
}

// No record of the host's but launches.
TestView kernels_only() {
  return steps_of([](TestTrace& trace, std::int64_t begin) {
           trace.launch(begin, begin + 10 * kUs, 300 * kUs, "triton_poi_fused_add_0");
           trace.launch(begin + 20 * kUs, begin + 310 * kUs, 300 * kUs);
         })
      .view();
}

class CompiledTest : public testing::TestWithParam<CheckCase> {};

TEST_P(CompiledTest, Says) { expect_case("compiled", GetParam()); }

INSTANTIATE_TEST_SUITE_P(
    Checks, CompiledTest,
    testing::Values(
        CheckCase{"Fires", [] { return regions(3).view(); }, Verdict::Binds,
                  "compiled, but in 3 pieces a step: 2 graph breaks a step; 100.0 % of kernels are a "
                  "compiler's; the device "
                  "waits 400 us of the 1.00 ms step for the host"},
        CheckCase{"OneBreak", [] { return regions(2).view(); }, Verdict::Binds,
                  "2 pieces a step: 1 graph break a"},
        CheckCase{"Whole", [] { return regions(1).view(); }, Verdict::Clear,
                  "compiled: 1 compiled region a step"},
        CheckCase{"Eager",
                  [] {
                    TestTrace trace = multiplying_steps();
                    trace.op(0, kUs, "aten::mm");
                    return trace.view();
                  },
                  Verdict::Clear, "nothing is compiled: every op runs eagerly"},
        CheckCase{"BreaksThatCostNothing", [] { return idle_regions(regions(3), IdleClass::Sync, 99'999); },
                  Verdict::Clear, "2 graph breaks a step"},
        CheckCase{"Border", [] { return idle_regions(regions(3), IdleClass::Sync, 100'000); }, Verdict::Binds,
                  "2 graph breaks a step"},
        CheckCase{"IdleOfOtherMaking", [] { return idle_regions(regions(3), IdleClass::Input, 400 * kUs); },
                  Verdict::Clear, "2 graph breaks a step"},
        CheckCase{
            "Stacks", [] { return regions(3).with_stacks().view(); }, Verdict::Unknown,
            "the profiler may have added the idle time around them; a bare step time (--wall-ms) tells"},
        CheckCase{
            "StacksCantExplainIt",
            [] { return idle_regions(regions(3, 300 * kUs).with_stacks(), IdleClass::Host, 700 * kUs); },
            Verdict::Binds, "2 graph breaks a step"},
        CheckCase{"StacksWithBareTime", [] { return regions(3).with_stacks().view(900 * kUs); },
                  Verdict::Binds, "2 graph breaks a step"},
        CheckCase{"OutsideTheSteps", outside_the_steps, Verdict::Clear,
                  "no steady step enters a compiled region"},
        CheckCase{"KernelsOnly", kernels_only, Verdict::Clear,
                  "50.0 % of kernels are a compiler's; compiled regions are not recorded"},
        CheckCase{"NoHostOps",
                  [] {
                    TestTrace trace;
                    for (int i = 0; i < 4; ++i) {
                      trace.launch(i * kMs, i * kMs + 10 * kUs, 600 * kUs);
                    }
                    return trace.view();
                  },
                  Verdict::Unknown, "no host ops are recorded, so compiled regions can't be seen"},
        CheckCase{"NoDeviceRecords",
                  [] {
                    return steps_of([](TestTrace& trace, std::int64_t begin) {
                             trace.op(begin, kUs, "aten::mm");
                             trace.region(begin, 10 * kUs).region(begin + 20 * kUs, 10 * kUs, 1);
                           })
                        .view();
                  },
                  Verdict::Unknown, "what they cost can't be told: no device activity is recorded"}),
    case_name);

TEST(Compiled, CountsBreaksAndLookUps) {
  TestTrace trace = regions(3);
  for (std::int64_t i = 0; i < kSteps; ++i) {
    trace.compile_event(profile::CompileKind::CacheLookup, i * kStepNs, 3 * kUs, "TorchDynamo Cache Lookup");
  }

  const Finding finding = trace.view().run("compiled");

  EXPECT_DOUBLE_EQ(evidence(finding, "compiled_regions_per_step"), 3);
  EXPECT_DOUBLE_EQ(evidence(finding, "graph_breaks_per_step"), 2);
  EXPECT_DOUBLE_EQ(evidence(finding, "guard_lookups_per_step"), 1);
  EXPECT_DOUBLE_EQ(evidence(finding, "guard_lookup_ns_per_step"), 3e3);
  ASSERT_EQ(finding.examples.size(), 3U) << "regions only";
  EXPECT_EQ(finding.examples[0].what, "Torch-Compiled Region: 0/0");
  EXPECT_EQ(finding.examples[0].count, 4U);
}

// Calling one code object again is no graph break, and neither is its backward.
TEST(Compiled, RepeatedCallsAndBackwardsAreNoBreaks) {
  TestTrace trace = steps_of([](TestTrace& t, std::int64_t begin) {
    t.op(begin, 100 * kUs, "aten::mm");
    t.region(begin, 10 * kUs).region(begin + 20 * kUs, 10 * kUs);
    t.compile_event(profile::CompileKind::CompiledRegion, begin + 40 * kUs, 10 * kUs,
                    "CompiledFunctionBackward");
    t.launch(begin, begin + 10 * kUs, 600 * kUs, "triton_poi_fused_add_0");
  });

  const Finding finding = trace.view().run("compiled");

  EXPECT_EQ(finding.verdict, Verdict::Clear) << finding.reason;
  EXPECT_DOUBLE_EQ(evidence(finding, "compiled_regions_per_step"), 2);
  EXPECT_DOUBLE_EQ(evidence(finding, "graph_breaks_per_step"), 0);
}

}  // namespace
}  // namespace foretell::checks
