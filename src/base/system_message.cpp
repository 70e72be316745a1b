// SPDX-License-Identifier: Apache-2.0
#include "src/base/system_message.hpp"

#include <array>
#include <cctype>
#include <cstring>

namespace foretell {
namespace {

// Of the two forms of strerror_r POSIX's fills the buffer, GNU's may give a text of its own.
[[maybe_unused]] const char* text_of(int /*status*/, const char* buffer) { return buffer; }
[[maybe_unused]] const char* text_of(const char* text, const char* /*buffer*/) { return text; }

}  // namespace

std::string system_message(int error_number) {
  std::array<char, 256> buffer{};
  std::string message = text_of(::strerror_r(error_number, buffer.data(), buffer.size()), buffer.data());
  // An abbreviation stays as it is: "RFS specific error".
  const bool abbreviation = message.size() > 1 && std::isupper(static_cast<unsigned char>(message[1])) != 0;
  if (!message.empty() && !abbreviation) {
    message[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(message[0])));
  }
  return message;
}

}  // namespace foretell
