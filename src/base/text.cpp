// SPDX-License-Identifier: Apache-2.0
#include "src/base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace foretell {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Three significant digits without an exponent.
std::string three_digits(double value) {
  const double size = std::abs(value);
  const int decimals = size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2;
  return fmt::format("{:.{}f}", value, decimals);
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) {
    row[j] = j;
  }
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (lower(a[i - 1]) == lower(b[j - 1]) ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row[b.size()];
}

bool continues_utf8(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

}  // namespace

std::string format_duration(std::int64_t ns) {
  const double value = static_cast<double>(ns);
  const double size = std::abs(value);
  if (size < 1e3) {
    return fmt::format("{} ns", ns);
  }
  if (size < 999.5e3) {
    return three_digits(value / 1e3) + " us";
  }
  if (size < 999.5e6) {
    return three_digits(value / 1e6) + " ms";
  }
  return three_digits(value / 1e9) + " s";
}

std::string format_bytes(std::uint64_t bytes) {
  if (bytes < 1024) {
    return fmt::format("{} B", bytes);
  }
  constexpr std::array<std::string_view, 5> kUnits{"KiB", "MiB", "GiB", "TiB", "PiB"};
  double value = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  while (value >= 999.5 && unit + 1 < kUnits.size()) {
    value /= 1024;
    ++unit;
  }
  return fmt::format("{} {}", three_digits(value), kUnits[unit]);
}

std::string format_count(std::uint64_t count) {
  std::string digits = fmt::format("{}", count);
  for (std::ptrdiff_t at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3) {
    digits.insert(static_cast<std::size_t>(at), 1, ',');
  }
  return digits;
}

std::string format_share(double ratio) { return fmt::format("{:.1f} %", ratio * 100); }

std::string format_counted(std::uint64_t count, std::string_view noun, std::string_view plural) {
  if (count == 1) {
    return fmt::format("1 {}", noun);
  }
  return plural.empty() ? fmt::format("{} {}s", format_count(count), noun)
                        : fmt::format("{} {}", format_count(count), plural);
}

std::string ellipsize(std::string_view text, std::size_t columns) {
  std::size_t width = 0;
  std::size_t cut = 0;  // where `columns - 3` characters end
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (continues_utf8(text[i])) {
      continue;
    }
    if (width + 3 == columns) {
      cut = i;
    }
    ++width;
  }
  if (width <= columns) {
    return std::string(text);
  }
  return std::string(text.substr(0, cut)) + "...";
}

std::optional<std::string_view> nearest(std::string_view name, std::span<const std::string_view> candidates) {
  std::optional<std::string_view> best;
  std::size_t best_distance = std::max<std::size_t>(1, name.size() / 3) + 1;
  for (const std::string_view candidate : candidates) {
    const std::size_t distance = edit_distance(name, candidate);
    if (distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

bool equals_ignore_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return lower(x) == lower(y); });
}

std::string printable(std::string_view text) {
  std::string shown;
  shown.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0U;
    if (byte < 0x20 || byte == 0x7F) {
      shown += '?';
    } else if (byte == 0xC2 && next >= 0x80 &&
               next < 0xA0) {  // U+0080 to U+009F: U+009B is escape and [ in one
      shown += '?';
      ++i;
    } else {
      shown += text[i];
    }
  }
  return shown;
}

}  // namespace foretell
