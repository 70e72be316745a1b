// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/probe/machine.hpp"

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>

#include "fusion-engine/runtime/cpu/kernel.hpp"
#include "src/base/version.hpp"

namespace foretell::probe {
namespace {

std::string read_proc(const char* path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The rest of the first line that begins with `key`, without the colon and blanks around it.
std::string_view value_of(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (!line.starts_with(key)) {
      continue;
    }
    const std::size_t begin = line.find_first_not_of(": \t", key.size());
    return begin == std::string_view::npos ? std::string_view() : line.substr(begin);
  }
  return {};
}

}  // namespace

bool operator==(const Machine& a, const Machine& b) {
  return a.cpu_model == b.cpu_model && a.cores == b.cores && a.team == b.team && a.sync == b.sync &&
         a.caches.l1_bytes == b.caches.l1_bytes && a.caches.l2_bytes == b.caches.l2_bytes &&
         a.caches.last_level_bytes == b.caches.last_level_bytes && a.instruction_set == b.instruction_set &&
         a.kernel == b.kernel && a.version == b.version;
}

Machine read_machine(const runtime::cpu::CpuDevice& device) {
  utsname system{};
  const bool known = ::uname(&system) == 0;
  return {
      .cpu_model = parse_cpu_model(read_proc("/proc/cpuinfo")),
      .cores = static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN)),  // this thread's own set is pinned
      .team = device.stream->team_size(),
      .sync = device.stream->one_lane(),
      .caches = device.caches,
      .instruction_set = std::string(runtime::cpu::kernel_isa()),
      .kernel = known ? std::string(system.release) : std::string(),
      .version = std::string(version()),
  };
}

std::string parse_cpu_model(std::string_view cpuinfo) { return std::string(value_of(cpuinfo, "model name")); }

std::int64_t available_memory_bytes() { return parse_available_memory(read_proc("/proc/meminfo")); }

std::int64_t parse_available_memory(std::string_view meminfo) {
  const std::string_view value = value_of(meminfo, "MemAvailable");
  std::int64_t kib = 0;
  std::from_chars(value.data(), value.data() + value.size(), kib);
  return kib * 1024;
}

}  // namespace foretell::probe
