// SPDX-License-Identifier: Apache-2.0
// Which device of the table a recorded device is, and the constants that follow.
//
// Order: name, then alias, then properties (vendor, compute capability, multiprocessors, memory), and only if
// exactly one device fits. Two that fit, or a name that speaks against the properties, give an unknown
// device: its constants are assumed from the devices most like it, and the note says so. Nothing is guessed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/cost/device_table.hpp"

namespace foretell::cost {

// A device as recorded; nullopt (or a number below 1) where the record is silent. Leave regs_per_sm empty on
// AMD: what the driver reports there changes with its version, not with the hardware.
struct DeviceQuery {
  std::string name;
  Vendor vendor = Vendor::Unknown;  // where the trace proves it: hip or roctracer keys mean AMD
  std::optional<std::int64_t> compute_major, compute_minor, sm_count, warp_size;
  std::optional<std::int64_t> total_memory_bytes, max_threads_per_sm, regs_per_sm;
  std::optional<std::int64_t> smem_per_sm_bytes, smem_per_block_optin_bytes;
};

enum class MatchKind : std::uint8_t { ByName, ByAlias, ByProperties, Unknown };
std::string_view to_string(MatchKind kind);

struct DeviceMatch {
  // Constants are assumed, but for properties the record states: those replace the table's and are measured.
  // Named as in the table; an unknown device keeps its own name.
  Device device;
  MatchKind how = MatchKind::Unknown;
  std::string note;  // what a reader has to know; empty if name and properties agree with the table
};

DeviceMatch match_device(const DeviceTable& table, const DeviceQuery& query);

// What is known or assumed of the device, in the order of kDeviceConstants.
std::vector<Constant> device_constants(const Device& device);

// The defaults that no device has a field for: launch, allocation and profiler costs, mostly of the host.
// An unknown vendor gets those that hold for any.
std::vector<Constant> default_constants(const DeviceTable& table, Vendor vendor);

}  // namespace foretell::cost
