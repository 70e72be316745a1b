// SPDX-License-Identifier: Apache-2.0
// The one error text for an event that can't be read: byte, line, event number and context.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "analyzer/ingest/kineto/tolerant_reader.hpp"
#include "src/base/result.hpp"

namespace foretell::ingest::kineto {

// Usual size of a window; a longer event makes its window grow.
inline constexpr std::size_t kDefaultWindowBytes = std::size_t{1} << 20;

// "a.json: byte 812, line 14", for text[at] of a text whose first byte is at `offset`, on `line`.
std::string place(std::string_view path, std::string_view text, std::uint64_t offset, std::uint64_t line,
                  std::size_t at);

// 40 characters around text[at], on one line.
std::string context(std::string_view text, std::size_t at);

Error broken_event(std::string_view path, std::string_view text, std::uint64_t offset, std::uint64_t line,
                   std::uint64_t event, const TolerantStop& stop);

}  // namespace foretell::ingest::kineto
