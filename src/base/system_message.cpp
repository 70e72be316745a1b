// SPDX-License-Identifier: Apache-2.0
#include "src/base/system_message.hpp"

#include <cctype>
#include <system_error>

namespace foretell {

std::string system_message(int error_number) {
  std::string message = std::generic_category().message(error_number);
  // An abbreviation stays as it is: "RFS specific error".
  const bool abbreviation = message.size() > 1 && std::isupper(static_cast<unsigned char>(message[1])) != 0;
  if (!message.empty() && !abbreviation) {
    message[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(message[0])));
  }
  return message;
}

}  // namespace foretell
