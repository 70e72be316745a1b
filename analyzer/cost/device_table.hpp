// SPDX-License-Identifier: Apache-2.0
// What is known about devices before anything was timed on them: data sheets, and figures measured by others.
// The shipped facts are devices.json; a file of the same form may replace them. Fields carry the keys of that
// file, so the name says the unit. Which device a trace was recorded on is device_match.hpp's question.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/provenance.hpp"
#include "src/base/result.hpp"

namespace foretell::cost {

// Not deducible from a compute capability: AMD's MI210 reports 9.0 as NVIDIA's H100 does.
enum class Vendor : std::uint8_t { Unknown, Nvidia, Amd };
std::string_view to_string(Vendor vendor);

struct Quantity {
  double low = 0;
  double expected = 0;
  double high = 0;
  Provenance provenance = Provenance::Assumed;
  std::string source;  // one phrase for people

  // For limits, which are whole numbers.
  [[nodiscard]] std::int64_t count() const { return static_cast<std::int64_t>(expected); }
  friend bool operator==(const Quantity&, const Quantity&) = default;
};

// A named quantity, as reports print it.
struct Constant {
  std::string name;
  std::string unit;
  double low = 0;
  double expected = 0;
  double high = 0;
  Provenance provenance = Provenance::Assumed;
  std::string source;
  friend bool operator==(const Constant&, const Constant&) = default;
};

// nullopt: unknown; for the tensor peaks and max_blocks_per_sm also "has none".
struct Device {
  std::string name;
  std::vector<std::string> aliases;  // other spellings the same part goes by
  Vendor vendor = Vendor::Unknown;
  std::string arch;
  std::optional<std::int64_t> compute_major, compute_minor;
  std::vector<std::int64_t> total_memory_seen_bytes;  // as drivers have reported it
  std::string dram_achievable_basis;
  std::string notes;
  std::vector<std::string> sources;  // addresses

  std::optional<Quantity> sm_count, warp_size, boost_clock_mhz, dram_gb;
  std::optional<Quantity> dram_peak_gbps, dram_achievable_gbps;
  std::optional<Quantity> l2_bytes, l2_bandwidth_gbps, l2_elementwise_gbps;
  std::optional<Quantity> kernel_floor_stream_ns, kernel_floor_graph_ns;
  std::optional<Quantity> max_threads_per_sm, max_warps_per_sm, max_blocks_per_sm;
  std::optional<Quantity> regs_per_sm, smem_per_sm_bytes, smem_per_block_optin_bytes;
  std::optional<Quantity> fp32_tflops, tf32_dense_tflops, fp16_dense_tflops, bf16_dense_tflops,
      fp8_dense_tflops;
};

// Decides low and high where the file gives one number: a limit is exact; data sheets of one part differ by
// up to 5 % (rounding, clock variants); repeated measurements by up to 10 %.
enum class ConstantKind : std::uint8_t { Limit, Sheet, Measured };

// How a constant of a device that lacks it is assumed (device_match.cpp).
enum class Assumption : std::uint8_t {
  Median,         // of the devices most like it
  PerSm,          // median per multiprocessor, times its multiprocessors
  PerSmSameArch,  // the same, but only from devices of the same compute capability: others may lack the unit
  PerDram,        // median ratio to the achievable memory bandwidth, times its own
  ShareOfPeak,    // the file's default share of the memory peak
  Default,        // the file's default of that name
};

// What shrinks with it when a device is a slice (MIG) of the part in the table.
enum class SlicedBy : std::uint8_t { Nothing, Sms, Memory };

struct DeviceConstant {
  std::string_view name;  // key in the file and name in reports
  std::string_view unit;
  ConstantKind kind;
  Assumption assumption;
  SlicedBy sliced_by;
  std::optional<Quantity> Device::* field;
};

// Every constant of a device, once, in the order of listing. A row may rest on those above it.
inline constexpr auto kDeviceConstants = [] {
  using enum ConstantKind;
  using enum Assumption;
  using enum SlicedBy;
  using D = Device;
  return std::to_array<DeviceConstant>({
      {"sm_count", "count", Limit, Median, Nothing, &D::sm_count},
      {"warp_size", "count", Limit, Median, Nothing, &D::warp_size},
      {"boost_clock_mhz", "MHz", Sheet, Median, Nothing, &D::boost_clock_mhz},
      {"dram_gb", "GB", Limit, Median, Nothing, &D::dram_gb},
      {"dram_peak_gbps", "GB/s", Sheet, Median, Memory, &D::dram_peak_gbps},
      {"dram_achievable_gbps", "GB/s", Measured, ShareOfPeak, Memory, &D::dram_achievable_gbps},
      {"l2_bytes", "bytes", Sheet, Median, Memory, &D::l2_bytes},
      {"l2_bandwidth_gbps", "GB/s", Measured, PerDram, Memory, &D::l2_bandwidth_gbps},
      {"l2_elementwise_gbps", "GB/s", Measured, PerDram, Memory, &D::l2_elementwise_gbps},
      {"kernel_floor_stream_ns", "ns", Measured, Default, Nothing, &D::kernel_floor_stream_ns},
      {"kernel_floor_graph_ns", "ns", Measured, Default, Nothing, &D::kernel_floor_graph_ns},
      {"max_threads_per_sm", "count", Limit, Median, Nothing, &D::max_threads_per_sm},
      {"max_warps_per_sm", "count", Limit, Median, Nothing, &D::max_warps_per_sm},
      {"max_blocks_per_sm", "count", Limit, Median, Nothing, &D::max_blocks_per_sm},
      {"regs_per_sm", "count", Limit, Median, Nothing, &D::regs_per_sm},
      {"smem_per_sm_bytes", "bytes", Limit, Median, Nothing, &D::smem_per_sm_bytes},
      {"smem_per_block_optin_bytes", "bytes", Limit, Median, Nothing, &D::smem_per_block_optin_bytes},
      {"fp32_tflops", "TFLOP/s", Sheet, PerSm, Sms, &D::fp32_tflops},
      {"tf32_dense_tflops", "TFLOP/s", Sheet, PerSmSameArch, Sms, &D::tf32_dense_tflops},
      {"fp16_dense_tflops", "TFLOP/s", Sheet, PerSmSameArch, Sms, &D::fp16_dense_tflops},
      {"bf16_dense_tflops", "TFLOP/s", Sheet, PerSmSameArch, Sms, &D::bf16_dense_tflops},
      {"fp8_dense_tflops", "TFLOP/s", Sheet, PerSmSameArch, Sms, &D::fp8_dense_tflops},
  });
}();

// A constant that no device row holds: of a vendor, or of any host (Vendor::Unknown).
struct DefaultConstant {
  Vendor vendor = Vendor::Unknown;
  Constant constant;
};

struct DeviceTable {
  std::vector<Device> devices;
  std::vector<DefaultConstant> defaults;
};

// Strict, so that a typing error can't pass for "unknown": unknown keys, wrong types and numbers out of order
// are errors with `where` = "<where>: devices[3] ('NVIDIA A10')". docs/devices.md describes the form.
Result<DeviceTable> parse_device_table(std::string_view json, std::string_view where);

// devices.json as built in.
const DeviceTable& builtin_device_table();

}  // namespace foretell::cost
