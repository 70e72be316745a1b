// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "src/cli/subcommand.hpp"

namespace foretell::cli {

std::function<Exit()> declare_probe(CLI::App& app);

}  // namespace foretell::cli
