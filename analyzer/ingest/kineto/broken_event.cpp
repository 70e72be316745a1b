// SPDX-License-Identifier: Apache-2.0
#include "analyzer/ingest/kineto/broken_event.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace foretell::ingest::kineto {

std::string place(std::string_view path, std::string_view text, std::uint64_t offset, std::uint64_t line,
                  std::size_t at) {
  const auto lines = static_cast<std::uint64_t>(std::ranges::count(text.substr(0, at), '\n'));
  return fmt::format("{}: byte {}, line {}", path, offset + at, line + lines);
}

std::string context(std::string_view text, std::size_t at) {
  constexpr std::size_t kBefore = 20;
  constexpr std::size_t kLength = 40;
  const std::size_t begin = at > kBefore ? at - kBefore : 0;
  std::string shown;
  for (const char c : text.substr(begin, kLength)) {
    const auto byte = static_cast<unsigned char>(c);
    shown += byte < 0x20 || byte >= 0x7F ? ' ' : c;
  }
  return shown;
}

Error broken_event(std::string_view path, std::string_view text, std::uint64_t offset, std::uint64_t line,
                   std::uint64_t event, const TolerantStop& stop) {
  std::string expected = stop.expected;
  if (stop.kind == TolerantStop::Kind::ArrayEnd) {
    expected = "expected an event, found ']'";
  } else if (stop.kind == TolerantStop::Kind::NeedsMore) {
    expected = "expected the end of the event, found the end of the array";
  }
  return {ErrorCode::BadInput, place(path, text, offset, line, stop.at),
          fmt::format("event {}: {} in `{}`", event, expected, context(text, stop.at)),
          "--lenient drops an event that can't be read and counts it"};
}

}  // namespace foretell::ingest::kineto
