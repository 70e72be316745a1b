// SPDX-License-Identifier: Apache-2.0
// Which processors a thread may run on.
#pragma once

#include <optional>
#include <vector>

namespace foretell::runtime::cpu {

// Those the calling thread may run on, ascending; empty where the system does not say.
std::vector<int> allowed_cpus();
// Binds the calling thread to them; false where the system refuses.
bool bind_thread(const std::vector<int>& cpus);

// Where a stream's threads go: the host to the first allowed processor, workers to the others in turn; all to
// the same if there is only one.
struct Placement {
  int host_cpu = 0;
  std::vector<int> worker_cpus;  // by rank
  bool shared = false;           // some processor has two threads: who spins there keeps another from working
};
Placement place_threads(const std::vector<int>& allowed, int workers);

}  // namespace foretell::runtime::cpu
