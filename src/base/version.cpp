// SPDX-License-Identifier: Apache-2.0
#include "src/base/version.hpp"

namespace foretell {

std::string_view version() { return FORETELL_VERSION; }

}  // namespace foretell
