// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "analyzer/checks/test_case.hpp"

namespace foretell::checks {
namespace {

// So many kernels a step, each of `ns` and that grid; 0 blocks: geometry is not recorded.
TestTrace kernels(int count, std::int64_t ns, std::int32_t blocks = 1,
                  std::string_view name = "getrf_kernel") {
  return steps_of([=](TestTrace& trace, std::int64_t begin) {
    for (int i = 0; i < count; ++i) {
      trace.launch(begin + i * 3 * kUs, begin + 10 * kUs + i * ns, ns, name);
      if (blocks > 0) {
        trace.blocks(blocks);
      }
    }
  });
}

TestView on_small_device() {
  TestView test = kernels(20, 30 * kUs).view();
  test.device.sm_count->expected = 15;
  return test;
}

class TinyKernelsTest : public testing::TestWithParam<CheckCase> {};

TEST_P(TinyKernelsTest, Says) { expect_case("tiny_kernels", GetParam()); }

INSTANTIATE_TEST_SUITE_P(
    Checks, TinyKernelsTest,
    testing::Values(
        CheckCase{"Fires", [] { return kernels(20, 30 * kUs).view(); }, Verdict::Binds,
                  "20 launches of one block a step, one behind the other, take 600 us of 1.00 ms, leaving "
                  "the other multiprocessors empty",
                  1000.0 / 400},
        CheckCase{"StaysSilent", [] { return kernels(20, 30 * kUs, 200).view(); }, Verdict::Clear,
                  "kernels of a single block take 0 ns of the 1.00 ms step, 0 ns of that in runs of one "
                  "name; 0.0 % of kernels are shorter "
                  "than 10 us",
                  1},
        CheckCase{"Few", [] { return kernels(9, 60 * kUs).view(); }, Verdict::Clear,
                  "540 us of the 1.00 ms step, 0 ns of that"},
        CheckCase{"Border", [] { return kernels(10, 10'000).view(); }, Verdict::Binds,
                  "10 launches of one block", 1000.0 / 900},
        CheckCase{"JustBelow", [] { return kernels(10, 9'999).view(); }, Verdict::Clear,
                  "100.0 % of kernels are shorter than 10 us"},
        CheckCase{"SmallDevice", on_small_device, Verdict::Clear, "kernels of a single block take 600 us"},
        CheckCase{"Collectives", [] { return kernels(20, 30 * kUs, 1, "ncclDevKernel_AllReduce").view(); },
                  Verdict::Clear, "no kernel but collectives runs in the steady steps"},
        CheckCase{"NoGeometry", [] { return kernels(20, 30 * kUs, 0).view(); }, Verdict::Unknown,
                  "launch geometry is not recorded; 0.0 % of kernels are shorter than 10 us"}),
    case_name);

TEST(TinyKernels, ShowsWhatCouldBeBatched) {
  const Finding finding = kernels(20, 30 * kUs).view().run("tiny_kernels");

  ASSERT_EQ(finding.examples.size(), 1U);
  EXPECT_EQ(finding.examples[0].what, "getrf_kernel");
  EXPECT_EQ(finding.examples[0].where, "batchable: 20 launches of 1 block a step");
  EXPECT_EQ(finding.examples[0].count, 20U);
  EXPECT_EQ(finding.examples[0].time_ns, 600 * kUs);
}

}  // namespace
}  // namespace foretell::checks
