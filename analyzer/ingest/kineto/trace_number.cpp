// SPDX-License-Identifier: Apache-2.0
#include "analyzer/ingest/kineto/trace_number.hpp"

#include <charconv>
#include <cstddef>
#include <system_error>

#include "analyzer/ingest/kineto/decimal_time.hpp"

namespace foretell::ingest::kineto {

std::optional<std::int64_t> lenient_integer(std::string_view token) {
  std::string_view digits = is_string(token) ? unquote(token) : token;
  if (const auto value = parse_integer(digits)) {
    return value;
  }
  if (digits.starts_with("0x") || digits.starts_with("0X")) {  // "stream": "0x0"
    digits.remove_prefix(2);
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
    if (error == std::errc{} && end == digits.data() + digits.size() && !digits.empty()) {
      return static_cast<std::int64_t>(value);
    }
  }
  // 7.0 is an integer too; a ".0" tail only.
  const std::size_t dot = digits.find('.');
  if (dot != std::string_view::npos && digits.find_first_not_of('0', dot + 1) == std::string_view::npos) {
    return parse_integer(digits.substr(0, dot));
  }
  return std::nullopt;
}

float parse_float(std::string_view token) {
  float value = -1;
  std::from_chars(token.data(), token.data() + token.size(), value);
  return value;
}

}  // namespace foretell::ingest::kineto
