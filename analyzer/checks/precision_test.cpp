// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "analyzer/checks/test_case.hpp"

namespace foretell::checks {
namespace {

constexpr std::string_view kSgemm = "ampere_sgemm_128x64_tn";

// Kernels of 600 us a step, `sgemm_ns` of them fp32 products.
TestView products(std::int64_t sgemm_ns, std::string_view name = kSgemm) {
  return steps_of([=](TestTrace& trace, std::int64_t begin) {
           if (sgemm_ns > 0) {
             trace.launch(begin, begin + 10 * kUs, sgemm_ns, name);
           }
           trace.launch(begin + 5 * kUs, begin + 10 * kUs + sgemm_ns, 600 * kUs - sgemm_ns, kAdd);
         })
      .view();
}

TestView on(std::optional<double> tf32, std::optional<double> fp16, bool fp32 = true) {
  TestView test = products(500 * kUs);
  const auto take = [](std::optional<cost::Quantity>& field, std::optional<double> value) {
    if (value) {
      field->expected = *value;
    } else {
      field.reset();
    }
  };
  take(test.device.tf32_dense_tflops, tf32);
  take(test.device.fp16_dense_tflops, fp16);
  if (!fp32) {
    test.device.fp32_tflops.reset();
  }
  return test;
}

class PrecisionTest : public testing::TestWithParam<CheckCase> {};

TEST_P(PrecisionTest, Says) { expect_case("precision", GetParam()); }

// The test device's tensor cores are 8 times as fast, so 7/8 of the time could go.
INSTANTIATE_TEST_SUITE_P(
    Checks, PrecisionTest,
    testing::Values(
        CheckCase{
            "Fires", [] { return products(400 * kUs); }, Verdict::Binds,
            "66.7 % of device time is fp32 matrix multiplication without tensor cores; their peak is 8.0x "
            "higher on this device",
            1000.0 / 650},
        CheckCase{"StaysSilent", [] { return products(400 * kUs, kGemm); }, Verdict::Clear,
                  "no matrix multiplication runs in full fp32 without tensor cores", 1},
        CheckCase{"Tf32", [] { return products(400 * kUs, "ampere_tf32_sgemm_128x64_tn"); }, Verdict::Clear,
                  "no matrix multiplication runs in full fp32"},
        CheckCase{"NoProduct", [] { return products(0); }, Verdict::Clear,
                  "no matrix multiplication is recognised"},
        // 7/8 of 114.4 us, of 114.2 us
        CheckCase{"Border", [] { return products(114'400); }, Verdict::Binds, "19.1 %", 1000.0 / 899.9},
        CheckCase{"JustBelow", [] { return products(114'200); }, Verdict::Clear, "19.0 %"},
        CheckCase{"OnlyFp16", [] { return on({}, 160); }, Verdict::Binds, "8.0x higher"},
        CheckCase{"NoTensorCores", [] { return on({}, {}); }, Verdict::Clear,
                  "this device has nothing faster for it", 1},
        CheckCase{"NothingFaster", [] { return on(20, 20); }, Verdict::Clear,
                  "this device has nothing faster"},
        CheckCase{"PeakUnknown", [] { return on(160, 320, false); }, Verdict::Unknown,
                  "how much faster this device's would be is not known"}),
    case_name);

TEST(Precision, AdvisesWhatTheDeviceCan) {
  EXPECT_TRUE(on(160, 320).run("precision").remedy.empty()) << "that of the table";
  EXPECT_THAT(on({}, 160).run("precision").remedy, testing::HasSubstr("this device has no TF32"));
}

TEST(Precision, ShowsTheProducts) {
  const Finding finding = products(400 * kUs).run("precision");

  ASSERT_EQ(finding.examples.size(), 1U);
  EXPECT_EQ(finding.examples[0].what, kSgemm);
  EXPECT_EQ(finding.examples[0].count, static_cast<std::uint64_t>(kSteps));
  EXPECT_EQ(finding.examples[0].time_ns, kSteps * 400 * kUs);
}

}  // namespace
}  // namespace foretell::checks
