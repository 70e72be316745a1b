// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/probe/probe.hpp"

#include <gmock/gmock.h>

#include <set>

namespace foretell::probe {
namespace {

// What is asserted holds on any machine at any load; the figures themselves are nobody's to assert.
TEST(RunProbes, EveryConstantHasOneNameAndAnInterval) {
  auto device = runtime::cpu::open_cpu_device();
  ASSERT_TRUE(device);
  std::vector<std::size_t> told;
  const auto machine = runtime::this_machine(*device->stream);
  const auto result = run_probes(*device, *machine, 1234, [&](std::size_t i) { told.push_back(i); });

  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->probed_at_s, 1234);
  EXPECT_EQ(told.size(), all_probes().size());
  EXPECT_GT(result->taken, 100);
  EXPECT_LE(result->rejected, result->taken);
  std::set<std::string> names;
  for (const auto& [constant, samples] : result->constants) {
    SCOPED_TRACE(constant.name);
    EXPECT_TRUE(names.insert(constant.name).second);
    EXPECT_GT(constant.low, 0);
    EXPECT_LE(constant.low, constant.expected);
    EXPECT_LE(constant.expected, constant.high);
    EXPECT_EQ(samples > 0, constant.provenance == Provenance::Probed);
    EXPECT_FALSE(constant.source.empty());
  }
  EXPECT_THAT(names,
              testing::IsSupersetOf({"enqueue_ns", "drain_ns", "sync_ns", "dispatch_ns", "alloc_cached_ns",
                                     "alloc_system_ns", "page_fault_ns", "gemm_f32_gflops", "fma_f32_gflops",
                                     "l1_memcpy_gbps", "dram_streaming_gbps", "llc_copy_bytes"}));
}

TEST(RunProbes, InSyncFormToo) {
  runtime::cpu::DeviceOptions options;
  options.stream.one_lane = true;
  auto device = runtime::cpu::open_cpu_device(options);
  ASSERT_TRUE(device);
  const auto machine = runtime::this_machine(*device->stream);
  const auto result = run_probes(*device, *machine, 0);

  ASSERT_TRUE(result) << result.error().message;
  EXPECT_TRUE(result->machine.sync);
  EXPECT_TRUE(find_constant(*result, "drain_ns"));
  EXPECT_FALSE(find_constant(*result, "gremlins_ns"));
}

TEST(WasBusy, WhereMoreThanAFifthIsDisturbed) {
  EXPECT_FALSE(was_busy({.machine = {}, .taken = 100, .rejected = 20, .constants = {}}));
  EXPECT_TRUE(was_busy({.machine = {}, .taken = 100, .rejected = 21, .constants = {}}));
  EXPECT_FALSE(was_busy({}));
}

}  // namespace
}  // namespace foretell::probe
