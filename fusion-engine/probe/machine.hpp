// SPDX-License-Identifier: Apache-2.0
// What constants were probed on: if any of it changes, they no longer hold.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "fusion-engine/runtime/cpu/cpu_device.hpp"

namespace foretell::probe {

struct Machine {
  std::string cpu_model;
  int cores = 0;      // online
  int team = 0;       // workers of the stream
  bool sync = false;  // one lane: the host thread does the work
  runtime::cpu::CacheSizes caches;
  std::string instruction_set;  // the eager kernels': "avx512", "avx2", "sse2"
  std::string kernel;           // of the operating system: release
  std::string version;          // of this program: what an op costs the host depends on it
  friend bool operator==(const Machine& a, const Machine& b);
};

Machine read_machine(const runtime::cpu::CpuDevice& device);

// "model name" of the first processor in the text of /proc/cpuinfo; empty if it has none.
std::string parse_cpu_model(std::string_view cpuinfo);

// What the operating system could give to a program now, without swapping (MemAvailable); 0 where it does not
// say.
std::int64_t available_memory_bytes();
// "MemAvailable:" in the text of /proc/meminfo, in bytes; 0 if it is not there.
std::int64_t parse_available_memory(std::string_view meminfo);

}  // namespace foretell::probe
