// SPDX-License-Identifier: Apache-2.0
// What the system says of a failed call, in the style of our messages.
#pragma once

#include <string>

namespace foretell {

// "permission denied" for EACCES: lower case, in English, safe in threads.
std::string system_message(int error_number);

}  // namespace foretell
