// SPDX-License-Identifier: Apache-2.0
#include "reports/axis_ticks.hpp"

#include <array>
#include <cmath>

namespace foretell::reports {

double tick_step(double end, int most) {
  const double least = end / most;
  const double decade = std::pow(10.0, std::floor(std::log10(least)));
  for (const double times : {1.0, 2.0, 5.0}) {
    if (times * decade >= least) {
      return times * decade;
    }
  }
  return 10 * decade;
}

BytesUnit bytes_unit(std::int64_t bytes) {
  constexpr std::array kUnits{BytesUnit{"GiB", 0x1p30}, BytesUnit{"MiB", 0x1p20}, BytesUnit{"KiB", 0x1p10}};
  for (const BytesUnit& unit : kUnits) {
    if (static_cast<double>(bytes) >= unit.bytes) {
      return unit;
    }
  }
  return {"B", 1};
}

}  // namespace foretell::reports
