// SPDX-License-Identifier: Apache-2.0
// The refusal of a name that is not in a list, the same wherever a user gives one.
#pragma once

#include <span>
#include <string_view>

#include "src/base/result.hpp"

namespace foretell {

// "unknown variant 'fusd', expected one of: eager, fused", with "did you mean 'fused'?" as its hint where one
// is near (Usage). `where`: the option, "--variants". `besides`: what else is taken, "a file or ".
Error unknown_name(std::string_view where, std::string_view kind, std::string_view name,
                   std::span<const std::string_view> names, std::string_view besides = {});

// Errors: unknown_name(), if it is not among them.
Result<void> check_name(std::string_view where, std::string_view kind, std::string_view name,
                        std::span<const std::string_view> names);

}  // namespace foretell
