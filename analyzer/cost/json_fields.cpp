// SPDX-License-Identifier: Apache-2.0
#include "analyzer/cost/json_fields.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "src/base/text.hpp"

namespace foretell::cost {

const Json* find(const Json& object, std::string_view key) {
  const auto at = object.find(key);
  return at == object.end() || at->is_null() ? nullptr : &*at;
}

std::string found(const Json& value) {
  if (value.is_null() || value.is_structured()) return value.type_name();
  constexpr std::size_t kShown = 40;
  return fmt::format("{} {}", value.type_name(), ellipsize(value.dump(), kShown));
}

std::optional<std::string> describe_unknown_key(const Json& object, std::span<const std::string_view> known) {
  for (const auto& [key, value] : object.items()) {
    if (std::ranges::find(known, key) == known.end()) {
      const auto meant = nearest(key, known);
      return fmt::format("unknown key '{}'{}", printable(key),
                         meant ? fmt::format(" (did you mean '{}'?)", *meant) : std::string());
    }
  }
  return std::nullopt;
}

std::string parser_message(std::string_view what) {
  const std::size_t label = what.starts_with('[') ? what.find("] ") : std::string_view::npos;
  return printable(label == std::string_view::npos ? what : what.substr(label + 2));
}

}  // namespace foretell::cost
