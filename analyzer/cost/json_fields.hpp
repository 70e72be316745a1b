// SPDX-License-Identifier: Apache-2.0
// What the strict readers of this directory share: looking a key up, and saying what was found instead.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace foretell::cost {

using Json = nlohmann::json;

// The value of that key; nullptr where it is absent or null.
const Json* find(const Json& object, std::string_view key);
// Type and a little of the value, for messages: `number 7`.
std::string found(const Json& value);
// The first key that is not among the known ones, as a message; nullopt: all are known.
std::optional<std::string> describe_unknown_key(const Json& object, std::span<const std::string_view> known);
// "[json.exception.parse_error.101] parse error at line 1, column 2: ..." without the library's own label.
std::string parser_message(std::string_view what);

}  // namespace foretell::cost
