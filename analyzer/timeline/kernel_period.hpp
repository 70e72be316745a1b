// SPDX-License-Identifier: Apache-2.0
// Steps from the device side alone: the kernels of a loop repeat in the same order.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/profile/profile.hpp"
#include "analyzer/timeline/links.hpp"

namespace foretell::timeline {

struct KernelPeriod {
  std::uint64_t kernels = 0;            // per period; 0: no period
  std::vector<std::int64_t> starts_ns;  // start of each period, and the end of the last
};

// The period of the kernel names on the stream with most kernels: at least three periods, 95 % of the kernels
// equal to the one a period later, at least two different names (a hundred equal kernels are not a hundred
// steps). Of several periods the one that matches best, then the shortest. The layers of one forward pass
// repeat too, so two more things are asked: no period begins inside the graph replay of the one before it,
// and the kernels behind the last whole period are the beginning of another one, not a head that no layer
// has.
KernelPeriod find_kernel_period(const profile::Profile& profile, const Links& links);

}  // namespace foretell::timeline
