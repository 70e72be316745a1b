// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/runtime/proc_stat.hpp"

#include <charconv>
#include <ranges>

namespace foretell::runtime {
namespace {

constexpr std::size_t kStealColumn = 8;

template <class Number>
Number number(std::string_view text) {
  Number value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

}  // namespace

std::int64_t steal_ticks(std::string_view text, const std::set<int>& processors) {
  std::int64_t ticks = 0;
  for (const auto part : std::views::split(text, '\n')) {
    const std::string_view line(part);
    if (!line.starts_with("cpu") || line.size() < 4 || line[3] < '0' || line[3] > '9') {
      continue;
    }
    if (!processors.empty() && !processors.contains(number<int>(line.substr(3)))) {
      continue;
    }
    std::size_t column = 0;
    for (const auto word : std::views::split(line, ' ')) {
      if (column++ == kStealColumn) {
        ticks += number<std::int64_t>(std::string_view(word));
      }
    }
  }
  return ticks;
}

}  // namespace foretell::runtime
