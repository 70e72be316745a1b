// SPDX-License-Identifier: Apache-2.0
#include "reports/quantity_text.hpp"

#include <fmt/format.h>

#include <cmath>

#include "src/base/text.hpp"

namespace foretell::reports {

std::string bytes_text(std::int64_t bytes) { return format_bytes(static_cast<std::uint64_t>(bytes)); }
std::string count_text(std::int64_t count) { return format_count(static_cast<std::uint64_t>(count)); }
std::string duration_text(double ns) { return format_duration(std::llround(ns)); }

std::string value_text(double value, std::string_view unit) {
  if (unit == "bytes") {
    return format_bytes(static_cast<std::uint64_t>(value));
  }
  if (unit == "ns") {
    return value < 99.5 ? fmt::format("{:.3g} ns", value) : duration_text(value);
  }
  return fmt::format("{:.4g} {}", value, unit);
}

}  // namespace foretell::reports
