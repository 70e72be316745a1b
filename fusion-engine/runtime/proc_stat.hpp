// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>
#include <string_view>

namespace foretell::runtime {

// The sum of the steal column over `processors` in the text of /proc/stat; of all of them if the set is
// empty. Lines and columns that are not there count as 0 (kernels before 2.6.11 have none).
//   cpu1 4705 150 1120 16250 520 0 17 342 0 0      user nice system idle iowait irq softirq STEAL guest
//   guest_nice
std::int64_t steal_ticks(std::string_view text, const std::set<int>& processors);

}  // namespace foretell::runtime
