// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "analyzer/checks/test_case.hpp"

namespace foretell::checks {
namespace {

using profile::ApiKind;

// After the kernels so many driver allocations of that length.
TestTrace allocating(int calls, std::int64_t call_ns) {
  return steps_of([=](TestTrace& trace, std::int64_t begin) {
    multiply(trace, begin);
    for (int i = 0; i < calls; ++i) {
      trace.call(begin + 610 * kUs + i * call_ns, call_ns, 2000 + begin / kUs + i, ApiKind::Allocate, -1,
                 "cudaMalloc");
    }
  });
}

// Out of memory: what is cached is freed, then the request made again.
TestTrace retrying(std::int64_t in_steps) {
  TestTrace trace = multiplying_steps();
  for (std::int64_t i = kSteps - in_steps; i < kSteps; ++i) {
    trace.call(i * kStepNs + 610 * kUs, 150 * kUs, 2000 + i, ApiKind::Free, -1, "cudaFree");
    trace.call(i * kStepNs + 760 * kUs, 150 * kUs, 3000 + i, ApiKind::Allocate, -1, "cudaMalloc");
  }
  return trace;
}

TestTrace with_records(TestTrace trace, int requests) {
  for (std::int64_t i = 0; i < kSteps; ++i) {
    for (std::int64_t j = 0; j < requests; ++j) {
      trace.memory(i * kStepNs + 10 * j, 4096);
    }
  }
  return trace;
}

class DriverAllocationsTest : public testing::TestWithParam<CheckCase> {};

TEST_P(DriverAllocationsTest, Says) { expect_case("driver_allocations", GetParam()); }

INSTANTIATE_TEST_SUITE_P(
    Checks, DriverAllocationsTest,
    testing::Values(
        CheckCase{"Fires", [] { return allocating(3, 100 * kUs).view(); }, Verdict::Binds,
                  "3 driver allocations and frees a step take 300 us of host time on average; the device is "
                  "idle 300 us of the 1.00 ms typical step (30.0 %) for them",
                  1000.0 / 700},
        CheckCase{"OneCall", [] { return allocating(1, 50 * kUs).view(); }, Verdict::Clear,
                  "1 driver allocation or free a step takes 50.0 us of host time on average; the device is "
                  "idle 50.0 us of the 1.00 ms typical step (5.0 %)"},
        CheckCase{"StaysSilent", [] { return multiplying_steps().view(); }, Verdict::Clear,
                  "no allocation in the step reaches the driver; allocator records are not in the trace "
                  "(profile_memory=True)",
                  1},
        CheckCase{"Border", [] { return allocating(1, 100'000).view(); }, Verdict::Binds, "10.0 %",
                  1000.0 / 900},
        CheckCase{"JustBelow", [] { return allocating(1, 99'999).view(); }, Verdict::Clear, "10.0 %"},
        // one call of 1.2 ms in four steps
        CheckCase{"Bursts",
                  [] {
                    TestTrace trace = multiplying_steps();
                    trace.call(2 * kStepNs + 610 * kUs, 1200 * kUs, 2000, ApiKind::Free, -1, "cudaFree");
                    return trace.view();
                  },
                  Verdict::Binds, "0.25 driver allocations and frees a step take 300 us"},
        CheckCase{"Hidden",
                  [] {
                    return steps_of([](TestTrace& trace, std::int64_t begin) {
                             multiply(trace, begin, 960 * kUs);
                             trace.call(begin + 40 * kUs, 300 * kUs, 2000 + begin / kUs, ApiKind::Allocate,
                                        -1, "cudaMalloc");
                           })
                        .view();
                  },
                  Verdict::Clear, "takes 300 us of host time on average; the device is idle 40.0 us"},
        CheckCase{"Retries", [] { return retrying(4).view(); }, Verdict::Binds,
                  "in 4 steps the allocator gave memory back and asked anew: memory is at its limit"},
        CheckCase{"OneRetry", [] { return retrying(1).view(); }, Verdict::Clear,
                  "in 1 step the allocator gave"},
        CheckCase{"Records", [] { return with_records(multiplying_steps(), 3).view(); }, Verdict::Clear,
                  "the caching allocator serves 3 requests of 12.0 KiB a step"},
        CheckCase{"OneRecord", [] { return with_records(multiplying_steps(), 1).view(); }, Verdict::Clear,
                  "serves 1 request of 4.00 KiB a step"}),
    case_name);

TEST(DriverAllocations, TellsWhatTheCachingAllocatorCosts) {
  const Finding finding = with_records(multiplying_steps(), 3).view().run("driver_allocations");

  EXPECT_DOUBLE_EQ(evidence(finding, "allocations_per_step"), 3);
  EXPECT_DOUBLE_EQ(evidence(finding, "caching_allocator_ns_per_step"), 3000);
  EXPECT_DOUBLE_EQ(evidence(finding, "driver_calls_per_step"), 0);
}

}  // namespace
}  // namespace foretell::checks
