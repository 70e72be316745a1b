// SPDX-License-Identifier: Apache-2.0
#include "analyzer/timeline/allocations.hpp"

#include <gtest/gtest.h>

#include "analyzer/timeline/test_profile.hpp"
#include "analyzer/timeline/test_steps.hpp"

namespace foretell::timeline {
namespace {

using profile::ApiKind;

struct Event {
  std::int64_t time_ns, bytes;
  std::int64_t allocated_bytes = -1, reserved_bytes = -1;
  std::int32_t device = 0;
};

profile::Profile with_events(std::initializer_list<Event> rows) {
  profile::Profile profile = TestProfile().op(0, 300, "train").finish();
  profile::MemoryEvents& events = profile.memory_events;
  for (const Event& row : rows) {
    events.time_ns.push_back(row.time_ns);
    events.bytes.push_back(row.bytes);
    events.total_allocated_bytes.push_back(row.allocated_bytes);
    events.total_reserved_bytes.push_back(row.reserved_bytes);
    events.address.push_back(0);
    events.device_id.push_back(row.device);
    events.thread.push_back(0);
  }
  return profile;
}

TEST(Allocations, RequestsCountPerStepAndByMemory) {
  const Allocations out = compute_allocations(
      with_events({{10, 64}, {20, 32}, {30, -64}, {40, 8, -1, -1, -1}, {110, 100}, {210, 16}, {900, 1}}),
      even_steps(3, 100));
  EXPECT_TRUE(out.recorded);
  EXPECT_EQ(out.device.allocations, (StepSum{.per_step = 1, .steady = 4, .total = 5}));
  EXPECT_EQ(out.device.frees, (StepSum{.per_step = 0, .steady = 1, .total = 1}));
  EXPECT_EQ(out.device.allocated_bytes, (StepSum{.per_step = 96, .steady = 212, .total = 213}));
  EXPECT_EQ(out.host.allocated_bytes, (StepSum{.per_step = 0, .steady = 8, .total = 8}));
}

TEST(Allocations, PeakIsTheRecordedTotalOrElseTheRunningSum) {
  const Steps steps = even_steps(1, 1000);
  const Allocations recorded =
      compute_allocations(with_events({{10, 64, 5000, 8192}, {20, -64, 4936, 8192}}), steps);
  EXPECT_EQ(recorded.peak_allocated_bytes, 5000);
  EXPECT_EQ(recorded.peak_reserved_bytes, 8192);
  // out of order in the file, and two devices
  const Allocations summed =
      compute_allocations(with_events({{30, 10}, {20, -64}, {10, 64}, {15, 70, -1, -1, 1}}), steps);
  EXPECT_EQ(summed.peak_allocated_bytes, 70);
  EXPECT_EQ(summed.peak_reserved_bytes, -1);
}

TEST(Allocations, ReservedMemoryGrowsByTheNetDifferencePerDevice) {
  const Allocations out = compute_allocations(
      with_events({{10, 1, 1, 100}, {20, 1, 1, 150}, {30, 1, 1, 130}, {15, 1, 1, 9000, 1}, {110, 1, 1, 170}}),
      even_steps(2, 100));
  EXPECT_EQ(out.reserved_growth_bytes, (StepSum{.per_step = 35, .steady = 70, .total = 70}));
}

TEST(Allocations, DriverCallsGoByMemoryAndKind) {
  const auto profile = TestProfile()
                           .call(10, 20, 1, ApiKind::Allocate, -1, "cudaMalloc")
                           .call(12, 5, 2, ApiKind::Allocate, -1, "cuMemAlloc_v2")  // inside
                           .call(40, 4, 3, ApiKind::Allocate, -1, "cudaMallocAsync")
                           .call(50, 6, 4, ApiKind::Free, -1, "cudaFree")
                           .call(60, 9, 5, ApiKind::Allocate, -1, "cudaHostAlloc")
                           .call(70, 1, 6, ApiKind::Free, -1, "cuMemFreeHost")
                           .finish();
  const Allocations out = compute_allocations(profile, even_steps(2, 100));
  EXPECT_EQ(out.device_allocate.calls.total, 2);
  EXPECT_EQ(out.device_allocate.call_ns, (StepSum{.per_step = 12, .steady = 24, .total = 24}));
  EXPECT_EQ(out.device_free.call_ns.total, 6);
  EXPECT_EQ(out.host_allocate.call_ns.total, 9);
  EXPECT_EQ(out.host_free.call_ns.total, 1);
  EXPECT_DOUBLE_EQ(out.driver_share, 0.2);
  EXPECT_FALSE(out.recorded);
  EXPECT_EQ(out.peak_allocated_bytes, -1);
}

struct RetryCase {
  const char* name;
  const char* first;
  bool launch_between;
  const char* second;
  std::int64_t second_at;
  std::uint64_t want;
};

class RetryTest : public testing::TestWithParam<RetryCase> {};

TEST_P(RetryTest, AFreeThenAnAllocationInOneStep) {
  TestProfile rows;
  rows.call(10, 1, 1, ApiKind::Free, -1, GetParam().first);
  if (GetParam().launch_between) {
    rows.call(15, 1, 2);
  }
  rows.call(GetParam().second_at, 1, 3, ApiKind::Allocate, -1, GetParam().second);
  EXPECT_EQ(compute_allocations(rows.finish(), even_steps(2, 100)).retry_steps, GetParam().want);
}

INSTANTIATE_TEST_SUITE_P(Allocations, RetryTest,
                         testing::Values(RetryCase{"Retry", "cudaFree", false, "cudaMalloc", 20, 1},
                                         RetryCase{"WorkBetween", "cudaFree", true, "cudaMalloc", 20, 0},
                                         RetryCase{"NextStep", "cudaFree", false, "cudaMalloc", 120, 0},
                                         RetryCase{"StreamOrdered", "cudaFreeAsync", false, "cudaMallocAsync",
                                                   20, 0},
                                         RetryCase{"HostMemory", "cudaFreeHost", false, "cudaMalloc", 20, 0}),
                         [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace foretell::timeline
