// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace foretell {

// "0.1.0", as the build names it.
std::string_view version();

}  // namespace foretell
