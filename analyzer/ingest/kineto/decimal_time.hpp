// SPDX-License-Identifier: Apache-2.0
// Times from decimal text to integers, never through floating point: microseconds since 1970 with three
// decimals need 17 digits, one more than a double holds.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace foretell::ingest::kineto {

struct DecimalTime {
  std::int64_t ns = 0;
  bool has_fraction = false;  // the text names a fraction of a microsecond
};

// Microseconds as a JSON number ("1747123456789012.345", "1.5e3", "-0.2") to nanoseconds; digits beyond the
// nanosecond are rounded to nearest, ties away from zero. nullopt: not a number, or beyond 64 bits.
std::optional<DecimalTime> parse_microseconds(std::string_view text);

// A JSON integer within 64 bits; nullopt for anything else (also 1.0 and 1e3).
std::optional<std::int64_t> parse_integer(std::string_view text);

}  // namespace foretell::ingest::kineto
