// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/runtime/cpu/cpu_device.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>

namespace foretell::runtime::cpu {
namespace {

std::string first_line(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// "48K", "2048K", "32M"; 0 if it is something else.
std::int64_t parse_size(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  if (error != std::errc{} || number <= 0) {
    return 0;
  }
  return unit == "K" ? number << 10 : unit == "M" ? number << 20 : unit.empty() ? number : 0;
}

}  // namespace

CacheSizes read_cache_sizes(const std::filesystem::path& directory) {
  CacheSizes sizes;
  std::int64_t largest = 0;
  for (int index = 0;; ++index) {
    const std::filesystem::path cache = directory / ("index" + std::to_string(index));
    const std::string level = first_line(cache / "level");
    if (level.empty()) {
      break;
    }
    const std::int64_t size = parse_size(first_line(cache / "size"));
    if (size == 0 || first_line(cache / "type") == "Instruction") {
      continue;
    }
    if (level == "1") {
      sizes.l1_bytes = size;
    } else if (level == "2") {
      sizes.l2_bytes = size;
    }
    largest = std::max(largest, size);
  }
  if (largest > 0) {
    sizes.last_level_bytes = largest;
  }
  return sizes;
}

CacheSizes read_cache_sizes() { return read_cache_sizes("/sys/devices/system/cpu/cpu0/cache"); }

Result<CpuDevice> open_cpu_device(const DeviceOptions& options) {
  if (options.allocator != "caching" && options.allocator != "system") {
    return fail(ErrorCode::Usage, "allocator",
                "expected caching or system, found '" + options.allocator + "'");
  }
  CpuDevice device;
  FORETELL_ASSIGN_OR_RETURN(device.stream, Stream::create(options.stream));
  device.allocator =
      options.allocator == "caching" ? make_caching_allocator() : make_system_allocator(*device.stream);
  device.caches = read_cache_sizes();
  device.streaming_bytes = device.caches.last_level_bytes;
  return device;
}

}  // namespace foretell::runtime::cpu
