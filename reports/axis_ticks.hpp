// SPDX-License-Identifier: Apache-2.0
// Round numbers along an axis.
#pragma once

#include <cstdint>
#include <string_view>

namespace foretell::reports {

// The least 1, 2 or 5 times a power of ten of which `end` holds no more than `most`. Of end > 0.
double tick_step(double end, int most);

struct BytesUnit {
  std::string_view name;
  double bytes = 1;
};

// The largest of B, KiB, ... GiB of which `bytes` are at least one.
BytesUnit bytes_unit(std::int64_t bytes);

}  // namespace foretell::reports
