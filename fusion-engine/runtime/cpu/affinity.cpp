// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/runtime/cpu/affinity.hpp"

#include <sched.h>

#include "src/base/check.hpp"

namespace foretell::runtime::cpu {

std::vector<int> allowed_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cpus;
  if (::sched_getaffinity(0, sizeof set, &set) != 0) {
    return cpus;
  }
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &set)) {
      cpus.push_back(cpu);
    }
  }
  return cpus;
}

bool bind_thread(const std::vector<int>& cpus) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int cpu : cpus) {
    CPU_SET(cpu, &set);
  }
  return ::sched_setaffinity(0, sizeof set, &set) == 0;
}

Placement place_threads(const std::vector<int>& allowed, int workers) {
  FORETELL_CHECK(!allowed.empty() && workers >= 1);
  Placement placement{.host_cpu = allowed.front(),
                      .worker_cpus = {},
                      .shared = static_cast<std::size_t>(workers) + 1 > allowed.size()};
  const std::size_t others = allowed.size() - 1;
  for (std::size_t rank = 0; rank < static_cast<std::size_t>(workers); ++rank) {
    placement.worker_cpus.push_back(others == 0 ? allowed.front() : allowed[1 + rank % others]);
  }
  return placement;
}

}  // namespace foretell::runtime::cpu
