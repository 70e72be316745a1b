// SPDX-License-Identifier: Apache-2.0
// The one formatter of quantities for people, and small text tools.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace foretell {

// "950 ns", "12.3 us", "4.57 ms", "1.20 s": three significant digits, sign kept.
std::string format_duration(std::int64_t ns);
// "616 B", "20.0 MiB": powers of 1024.
std::string format_bytes(std::uint64_t bytes);
// "12,345,678".
std::string format_count(std::uint64_t count);
// 0.1234 -> "12.3 %".
std::string format_share(double ratio);
// "1 kernel", "2 kernels": count with its noun; `plural` defaults to noun + "s".
std::string format_counted(std::uint64_t count, std::string_view noun, std::string_view plural = {});

// At most `columns` characters (UTF-8 aware), cut text ends in "...".
std::string ellipsize(std::string_view text, std::size_t columns);

// The candidate within edit distance 1/3 of the name's length (at least 1) that is nearest; nullopt if none
// is.
std::optional<std::string_view> nearest(std::string_view name, std::span<const std::string_view> candidates);

bool equals_ignore_case(std::string_view a, std::string_view b);

// Control characters become '?', so that a name can't drive the terminal.
std::string printable(std::string_view text);

}  // namespace foretell
