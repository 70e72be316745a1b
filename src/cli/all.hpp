// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "src/cli/subcommand.hpp"

namespace foretell::cli {

// Every verb, in the order of the help text.
std::span<const Subcommand> all_subcommands();

}  // namespace foretell::cli
