// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "analyzer/checks/test_case.hpp"

namespace foretell::checks {
namespace {

// Pointwise kernels back to back over the same elements: 4 times 150 us.
TestTrace chain(int kernels = 4, std::int64_t ns = 150 * kUs, std::string_view name = kAdd) {
  return steps_of([=](TestTrace& trace, std::int64_t begin) {
    for (int i = 0; i < kernels; ++i) {
      trace.launch(begin + i * 5 * kUs, begin + 10 * kUs + i * ns, ns, name).blocks(10'000);
    }
  });
}

// As if groups saved `ns` of the step.
TestView saving(std::int64_t ns) {
  TestView test = chain().view();
  test.groups.saved_device_ns = ns;
  test.groups.saved_gap_ns = 0;
  return test;
}

TestView replayed() {
  return steps_of([](TestTrace& trace, std::int64_t begin) {
           trace.replay(begin, begin + 10 * kUs, 100 * kUs, 1, kAdd);
           trace.replay(begin + 10 * kUs, begin + 110 * kUs, 100 * kUs, 5);
         })
      .view();
}

class FusionTest : public testing::TestWithParam<CheckCase> {};

TEST_P(FusionTest, Says) { expect_case("fusion", GetParam()); }

INSTANTIATE_TEST_SUITE_P(
    Checks, FusionTest,
    testing::Values(
        CheckCase{"Fires", [] { return chain().view(); }, Verdict::Binds,
                  "the device works 60.0 % of the step, 100.0 % of that in kernels that can be fused; fusing "
                  "neighbouring kernels would remove 3 kernels of a step and move"},
        CheckCase{"OnePair", [] { return chain(2).view(); }, Verdict::Binds,
                  "would remove 1 kernel of a step"},
        CheckCase{"StaysSilent", [] { return multiplying_steps().view(); }, Verdict::Clear,
                  "no two neighbouring kernels could be fused; fusible kernels are 0.0 % of device time", 1},
        CheckCase{"Border", [] { return saving(100'000); }, Verdict::Binds, "at most 100 us of 1.00 ms",
                  1000.0 / 900},
        CheckCase{"JustBelow", [] { return saving(99'999); }, Verdict::Clear,
                  "fusing neighbouring kernels would remove 3 kernels"},
        CheckCase{
            "InReplays", replayed, Verdict::Clear,
            "100 us of device time is inside graph replays without op names and shapes, of which nothing is "
            "claimed"}),
    case_name);

TEST(Fusion, SaysWhatMoves) {
  const TestView test = chain().view();
  const Finding finding = test.run("fusion");

  EXPECT_DOUBLE_EQ(evidence(finding, "kernels_removed_per_step"), 3);
  EXPECT_DOUBLE_EQ(evidence(finding, "fusible_share"), 1);
  EXPECT_GT(evidence(finding, "bytes_before_per_step"), evidence(finding, "bytes_after_per_step"));
  EXPECT_DOUBLE_EQ(*finding.ceiling,
                   ceiling_of(test.view(), test.groups.saved_device_ns + test.groups.saved_gap_ns));
  ASSERT_EQ(finding.examples.size(), 1U);
  EXPECT_THAT(finding.examples[0].what, testing::HasSubstr(" + "));
  EXPECT_EQ(finding.examples[0].count, 1U);
}

}  // namespace
}  // namespace foretell::checks
