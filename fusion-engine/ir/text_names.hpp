// SPDX-License-Identifier: Apache-2.0
// Names in the text form: identifiers as they are, anything else quoted.
#pragma once

#include <string>
#include <string_view>

namespace foretell::ir {

// Letters, digits, '_', '.' and '-', the first a letter or '_'; not a word of the language.
bool is_identifier(std::string_view name);
constexpr bool starts_identifier(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
constexpr bool continues_identifier(char c) {
  return starts_identifier(c) || (c >= '0' && c <= '9') || c == '.' || c == '-';
}

// The name, or "name" with \" \\ \n and \xHH for other bytes below space.
std::string quote_if_needed(std::string_view name);

}  // namespace foretell::ir
