// SPDX-License-Identifier: Apache-2.0
// Constants as they come from the table, by rule, from the device's likes, and from what the record states.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "analyzer/cost/device_match.hpp"
#include "analyzer/cost/device_table.hpp"
#include "analyzer/cost/test_match.hpp"

namespace foretell::cost {
namespace {

using testing::HasSubstr;
using enum MatchKind;

const Constant* find(const std::vector<Constant>& constants, std::string_view name) {
  const auto at = std::ranges::find(constants, name, &Constant::name);
  return at == constants.end() ? nullptr : &*at;
}

TEST(DeviceConstants, OfAKnownDeviceComeFromTheTable) {
  const DeviceMatch found =
      match({.name = "NVIDIA H100 80GB HBM3", .sm_count = 130, .total_memory_bytes = 85 * kGb});
  const auto constants = device_constants(found.device);
  ASSERT_NE(find(constants, "dram_achievable_gbps"), nullptr);
  const Constant& dram = *find(constants, "dram_achievable_gbps");
  EXPECT_EQ(dram.unit, "GB/s");
  EXPECT_DOUBLE_EQ(dram.low, 2783);
  EXPECT_DOUBLE_EQ(dram.expected, 2930);
  EXPECT_DOUBLE_EQ(dram.high, 3077);
  EXPECT_EQ(dram.provenance, Provenance::Assumed);
  EXPECT_THAT(dram.source, HasSubstr("device table: PyTorch elementwise in traces"));
  // The record's own properties come first.
  EXPECT_EQ(*find(constants, "sm_count"),
            (Constant{"sm_count", "count", 130, 130, 130, Provenance::Measured, "recorded with the trace"}));
  EXPECT_DOUBLE_EQ(find(constants, "dram_gb")->expected, 85);
}

TEST(DeviceConstants, WhatTheTableLacksIsFilledByRuleAndSaysSo) {
  const auto orin = device_constants(match({.name = "Orin"}).device);
  const Constant& dram = *find(orin, "dram_achievable_gbps");
  EXPECT_NEAR(dram.expected, 0.85 * 204.8, 1e-9);
  EXPECT_NEAR(dram.low, 0.75 * 0.95 * 204.8, 1e-9);
  EXPECT_EQ(dram.source, "assumed: 0.85 of the peak");
  EXPECT_DOUBLE_EQ(find(orin, "kernel_floor_graph_ns")->expected, 1250);
  EXPECT_THAT(find(orin, "l2_elementwise_gbps")->source, HasSubstr("relative to memory bandwidth"));
  // An absent tensor peak means that there is no such unit.
  EXPECT_EQ(find(orin, "tf32_dense_tflops"), nullptr);
  EXPECT_EQ(find(device_constants(match({.name = "AMD Instinct MI300X"}).device), "max_blocks_per_sm"),
            nullptr);
  // On AMD replay saves nothing on the device.
  EXPECT_DOUBLE_EQ(
      find(device_constants(match({.name = "AMD Instinct MI355X"}).device), "kernel_floor_graph_ns")
          ->expected,
      4200);
}

TEST(DeviceConstants, OfAnUnknownDeviceComeFromItsLikes) {
  const DeviceMatch found = match({.name = "NVIDIA GeForce RTX 4090 Laptop GPU",
                                   .compute_major = 8,
                                   .compute_minor = 9,
                                   .sm_count = 76,
                                   .warp_size = 32,
                                   .total_memory_bytes = 16718168064,
                                   .max_threads_per_sm = 1536});
  ASSERT_EQ(found.how, Unknown);
  const auto constants = device_constants(found.device);
  EXPECT_EQ(constants.size(), kDeviceConstants.size());
  const Constant& peak = *find(constants, "dram_peak_gbps");
  EXPECT_DOUBLE_EQ(peak.expected, 864);
  EXPECT_NEAR(peak.low, 300.1 * 0.95, 1e-9);
  EXPECT_NEAR(peak.high, 1008 * 1.05, 1e-9);
  EXPECT_EQ(peak.source, "assumed: median of 5 devices of compute capability 8.9");
  // 128 lanes x 2 x 76 multiprocessors at the family's 2.505 GHz.
  EXPECT_NEAR(find(constants, "fp32_tflops")->expected, 76 * 128 * 2 * 2.505e-3, 0.5);
  EXPECT_DOUBLE_EQ(find(constants, "smem_per_block_optin_bytes")->expected, 101376);
  EXPECT_EQ(find(constants, "max_warps_per_sm")->provenance, Provenance::Derived);
  EXPECT_DOUBLE_EQ(find(constants, "max_warps_per_sm")->expected, 48);
  for (const Constant& constant : constants) {
    EXPECT_LE(constant.low, constant.expected) << constant.name;
    EXPECT_LE(constant.expected, constant.high) << constant.name;
    EXPECT_FALSE(constant.source.empty()) << constant.name;
    const bool is_recorded = constant.name == "sm_count" || constant.name == "warp_size" ||
                             constant.name == "dram_gb" || constant.name == "max_threads_per_sm" ||
                             constant.name == "max_warps_per_sm";
    EXPECT_EQ(constant.provenance == Provenance::Assumed, !is_recorded) << constant.name;
  }
}

TEST(DeviceConstants, OfAnAmbiguousDeviceCoverTheCandidates) {
  const DeviceMatch found =
      match({.compute_major = 8, .compute_minor = 0, .sm_count = 108, .total_memory_bytes = 84990623744});
  const auto& dram = *found.device.dram_peak_gbps;
  EXPECT_LE(dram.low, 1935.4);
  EXPECT_GE(dram.high, 2039);
  EXPECT_NEAR(dram.expected, (1935.4 + 2039) / 2, 1e-9);
  EXPECT_EQ(dram.source, "assumed: median of 2 devices that it may be");
  EXPECT_DOUBLE_EQ(found.device.fp16_dense_tflops->expected, 312);
}

TEST(DeviceConstants, WithoutAFamilyComeFromTheVendorWithoutTensorPeaks) {
  const DeviceMatch found =
      match({.name = "Quadro GP100", .compute_major = 6, .compute_minor = 0, .sm_count = 56});
  EXPECT_THAT(found.device.dram_peak_gbps->source, HasSubstr("devices of vendor nvidia"));
  EXPECT_TRUE(found.device.fp32_tflops);
  EXPECT_LE(found.device.fp32_tflops->low, 10.3);
  EXPECT_GE(found.device.fp32_tflops->high, 10.3);
  EXPECT_FALSE(found.device.fp16_dense_tflops);
  EXPECT_DOUBLE_EQ(found.device.max_threads_per_sm->expected, 1536);
}

TEST(DeviceConstants, OfASliceShrinkWithIt) {
  const DeviceMatch found = match({.name = "NVIDIA A100-SXM4-40GB MIG 3g.20gb",
                                   .sm_count = 54,
                                   .total_memory_bytes = std::int64_t{20} << 30});
  EXPECT_DOUBLE_EQ(found.device.sm_count->expected, 54);
  EXPECT_DOUBLE_EQ(found.device.fp32_tflops->expected, 19.5 / 2);
  EXPECT_DOUBLE_EQ(found.device.dram_achievable_gbps->expected, 1381.0 / 2);
  EXPECT_DOUBLE_EQ(found.device.l2_bytes->expected, 41943040.0 / 2);
  EXPECT_DOUBLE_EQ(found.device.regs_per_sm->expected, 65536);
  EXPECT_THAT(found.device.fp32_tflops->source, HasSubstr("times the slice's 0.500 of the multiprocessors"));
}

TEST(DeviceConstants, NumbersThatCannotBeAreTakenAsNotRecorded) {
  const DeviceMatch found =
      match({.name = "Tesla T4", .sm_count = 0, .warp_size = -1, .total_memory_bytes = 0});
  EXPECT_EQ(found.how, ByName);
  EXPECT_EQ(found.note, "");
  EXPECT_DOUBLE_EQ(found.device.sm_count->expected, 40);
}

TEST(DefaultConstants, AreThoseOfTheVendorAndOfAny) {
  const auto nvidia = default_constants(builtin_device_table(), Vendor::Nvidia);
  const auto amd = default_constants(builtin_device_table(), Vendor::Amd);
  const auto unknown = default_constants(builtin_device_table(), Vendor::Unknown);
  EXPECT_DOUBLE_EQ(find(nvidia, "launch_latency_ns")->expected, 6000);
  EXPECT_DOUBLE_EQ(find(amd, "launch_latency_ns")->expected, 11500);
  EXPECT_EQ(find(unknown, "launch_latency_ns"), nullptr);
  EXPECT_DOUBLE_EQ(find(unknown, "eager_op_cpu_ns")->expected, 4500);
  EXPECT_EQ(find(nvidia, "kernel_floor_stream_ns"), nullptr);  // of the device, not a default to list
}

}  // namespace
}  // namespace foretell::cost
