// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/ir/text_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace foretell::ir {
namespace {

constexpr std::array<std::string_view, 4> kWords{"graph", "repeat", "return", "updates"};

}  // namespace

bool is_identifier(std::string_view name) {
  return !name.empty() && starts_identifier(name.front()) &&
         std::ranges::all_of(name, continues_identifier) && std::ranges::find(kWords, name) == kWords.end();
}

std::string quote_if_needed(std::string_view name) {
  if (is_identifier(name)) {
    return std::string(name);
  }
  std::string text = "\"";
  for (const char c : name) {
    if (c == '"' || c == '\\') {
      text += '\\';
      text += c;
    } else if (c == '\n') {
      text += "\\n";
    } else if (static_cast<unsigned char>(c) < ' ') {
      text += fmt::format("\\x{:02x}", static_cast<unsigned>(c));
    } else {
      text += c;
    }
  }
  return text + '"';
}

}  // namespace foretell::ir
