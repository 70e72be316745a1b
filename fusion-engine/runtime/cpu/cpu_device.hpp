// SPDX-License-Identifier: Apache-2.0
// What executors on the CPU run on: a stream, an allocator, and the sizes of the caches.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "fusion-engine/runtime/cpu/allocator.hpp"
#include "fusion-engine/runtime/cpu/stream.hpp"

namespace foretell::runtime::cpu {

struct CacheSizes {
  std::int64_t l1_bytes = 32 << 10;
  std::int64_t l2_bytes = 1 << 20;  // private to a core
  std::int64_t last_level_bytes = 8 << 20;
};
// From the operating system's description of the first CPU; the defaults above where it is silent.
CacheSizes read_cache_sizes();
// The same from a directory like /sys/devices/system/cpu/cpu0/cache: index*/{level,type,size}.
CacheSizes read_cache_sizes(const std::filesystem::path& directory);

struct DeviceOptions {
  StreamOptions stream;
  std::string allocator = "caching";  // or "system"
};

struct CpuDevice {
  std::unique_ptr<Allocator> allocator;
  std::unique_ptr<Stream> stream;  // goes first: what it has still to run uses the allocator's memory
  CacheSizes caches;
  // From this size on a result is written past the caches. The last-level cache as the system describes it,
  // until somebody sets what the machine's probe found: a virtual machine may be told of caches it shares.
  std::int64_t streaming_bytes = CacheSizes{}.last_level_bytes;
  bool streams(std::int64_t bytes) const { return bytes >= streaming_bytes; }
};
// Errors: Usage for an unknown allocator; Environment from the stream.
Result<CpuDevice> open_cpu_device(const DeviceOptions& options = {});

}  // namespace foretell::runtime::cpu
