// SPDX-License-Identifier: Apache-2.0
// A tolerant JSON reader that writes valid JSON: what trace writers are known to get wrong without losing a
// number is mended, anything else is refused at its exact place.
//
//   inf, nan, NaN, Infinity, N/A, 1.#INF, .5, +3, 01   ->  null
//   "torch\cuda\nn", where one escape is not JSON's     ->  "torch\\cuda\\nn"
//   raw control character, invalid UTF-8, half surrogate ->  U+FFFD
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

namespace foretell::ingest::kineto {

struct Repaired {
  std::string json;          // one valid JSON value
  std::size_t consumed = 0;  // bytes of the text it was read from
  std::uint64_t strings_repaired = 0;
  std::uint64_t non_finite = 0;
  bool illegal_escapes = false;
  std::optional<std::size_t> first_repair;  // offset in the text
};

struct RepairFailure {
  std::size_t at = 0;       // offset in the text
  bool needs_more = false;  // the text ends inside the value
  std::string expected;     // "expected ':' after a key, found 't'"
};

// Reads the value that `text` starts with (no white space before it).
std::expected<Repaired, RepairFailure> repair_value(std::string_view text);

// A character for an error text: "'x'", or "byte 0x01" where it can't be printed.
std::string shown(char c);

}  // namespace foretell::ingest::kineto
