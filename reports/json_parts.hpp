// SPDX-License-Identifier: Apache-2.0
// What the JSON of every command has in common.
#pragma once

#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

namespace foretell::reports {

// schema_version and tool.
nlohmann::ordered_json header_json();

// The document as it is written. Bytes of a name that are no UTF-8 are replaced: they come from files, and
// must not end the program.
std::string write_json(const nlohmann::ordered_json& document);

// null where there is none.
nlohmann::ordered_json optional_json(const auto& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}
nlohmann::ordered_json text_or_null(const std::string& text);

inline std::int64_t whole(double value) { return static_cast<std::int64_t>(std::llround(value)); }

}  // namespace foretell::reports
