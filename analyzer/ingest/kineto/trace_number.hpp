// SPDX-License-Identifier: Apache-2.0
// Numbers as traces write them: bare, as text ("616"), in hexadecimal ("0x0"), with a tail of zeros (7.0).
// A token is the raw text of a scalar, a string with its quotes.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

namespace foretell::ingest::kineto {

// Without the white space that may follow a token.
inline std::string_view trim_right(std::string_view text) {
  while (!text.empty() &&
         (text.back() == ' ' || text.back() == '\n' || text.back() == '\r' || text.back() == '\t')) {
    text.remove_suffix(1);
  }
  return text;
}

inline bool is_string(std::string_view token) { return token.size() >= 2 && token.front() == '"'; }

// The text between the quotes of a string token without escapes.
inline std::string_view unquote(std::string_view token) { return token.substr(1, token.size() - 2); }

// A number token, or the number inside a string token (ROCm writes "616"); nullopt: no integer, or beyond 64
// bits.
std::optional<std::int64_t> lenient_integer(std::string_view token);

// -1: no number at its beginning.
float parse_float(std::string_view token);

// -1: not given, negative, or beyond 32 bits.
inline std::int32_t narrow(std::optional<std::int64_t> value) {
  return value && *value >= 0 && *value <= std::numeric_limits<std::int32_t>::max()
             ? static_cast<std::int32_t>(*value)
             : -1;
}

}  // namespace foretell::ingest::kineto
