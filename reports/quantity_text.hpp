// SPDX-License-Identifier: Apache-2.0
// Quantities of the models as text, on top of the one formatter (src/base/text.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace foretell::reports {

// Of at least 0.
std::string bytes_text(std::int64_t bytes);  // "20.0 MiB"
std::string count_text(std::int64_t count);  // "1,234"
std::string duration_text(double ns);        // "1.20 ms"

// A constant's value with its unit: "24.0 KiB", "41.3 ns", "3350 GB/s".
std::string value_text(double value, std::string_view unit);

}  // namespace foretell::reports
