// SPDX-License-Identifier: Apache-2.0
#include "src/base/names.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "src/base/text.hpp"

namespace foretell {

Error unknown_name(std::string_view where, std::string_view kind, std::string_view name,
                   std::span<const std::string_view> names, std::string_view besides) {
  const auto meant = nearest(name, names);
  return {ErrorCode::Usage, std::string(where),
          fmt::format("unknown {} '{}', expected {}one of: {}", kind, printable(name), besides,
                      fmt::join(names, ", ")),
          meant ? fmt::format("did you mean '{}'?", *meant) : std::string()};
}

Result<void> check_name(std::string_view where, std::string_view kind, std::string_view name,
                        std::span<const std::string_view> names) {
  if (std::ranges::find(names, name) != names.end()) {
    return {};
  }
  return std::unexpected(unknown_name(where, kind, name, names));
}

}  // namespace foretell
