// SPDX-License-Identifier: Apache-2.0
#include "analyzer/ingest/kineto/decimal_time.hpp"

#include <charconv>
#include <cstddef>
#include <limits>
#include <system_error>

namespace foretell::ingest::kineto {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// value * 10 + digit, false on overflow.
bool push_digit(std::int64_t& value, int digit) {
  return !__builtin_mul_overflow(value, std::int64_t{10}, &value) &&
         !__builtin_add_overflow(value, std::int64_t{digit}, &value);
}

}  // namespace

std::optional<DecimalTime> parse_microseconds(std::string_view text) {
  std::size_t at = 0;
  const bool negative = !text.empty() && text[0] == '-';
  at += negative ? 1 : 0;
  const std::size_t digits_begin = at;
  while (at < text.size() && is_digit(text[at])) {
    ++at;
  }
  const std::string_view whole = text.substr(digits_begin, at - digits_begin);
  std::string_view fraction;
  if (at < text.size() && text[at] == '.') {
    const std::size_t begin = ++at;
    while (at < text.size() && is_digit(text[at])) {
      ++at;
    }
    fraction = text.substr(begin, at - begin);
    if (fraction.empty()) {
      return std::nullopt;
    }
  }
  if (whole.empty()) {
    return std::nullopt;
  }
  int exponent = 0;
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    const char* begin = text.data() + at + 1;
    if (at + 2 < text.size() && text[at + 1] == '+' && is_digit(text[at + 2])) {
      ++begin;  // from_chars knows no plus
    }
    const auto [end, error] = std::from_chars(begin, text.data() + text.size(), exponent);
    if (error != std::errc{} || exponent > 400 || exponent < -400) {
      return std::nullopt;
    }
    at = static_cast<std::size_t>(end - text.data());
  }
  if (at != text.size()) {
    return std::nullopt;
  }
  // The digits of whole and fraction in a row; the value in ns ends `kept` digits in.
  const std::ptrdiff_t kept = static_cast<std::ptrdiff_t>(whole.size()) + exponent + 3;
  const auto total = static_cast<std::ptrdiff_t>(whole.size() + fraction.size());
  const auto digit = [&](std::ptrdiff_t i) {
    if (i < 0 || i >= total) {
      return 0;
    }
    const auto index = static_cast<std::size_t>(i);
    return (index < whole.size() ? whole[index] : fraction[index - whole.size()]) - '0';
  };
  std::int64_t ns = 0;
  for (std::ptrdiff_t i = 0; i < kept; ++i) {
    if (ns == 0 && i >= total) {
      break;  // all zeros: 0e300
    }
    if (!push_digit(ns, digit(i))) {
      return std::nullopt;
    }
  }
  if (digit(kept) >= 5 && __builtin_add_overflow(ns, std::int64_t{1}, &ns)) {
    return std::nullopt;
  }
  return DecimalTime{negative ? -ns : ns, !fraction.empty()};
}

std::optional<std::int64_t> parse_integer(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || text.empty()) {
    return std::nullopt;
  }
  return value;
}

}  // namespace foretell::ingest::kineto
