// SPDX-License-Identifier: Apache-2.0
// A verb of the command line: its name, one line of help, and a function that declares its options and
// returns what to do once they are parsed.
#pragma once

#include <CLI/CLI.hpp>

#include <functional>
#include <string_view>

namespace foretell::cli {

// Exit codes (docs: `foretell --help`).
enum class Exit : int { Done = 0, GateSaysNo = 1, Usage = 2, BadInput = 3, Environment = 4, Bug = 70 };

struct Subcommand {
  std::string_view name;
  std::string_view title;
  std::function<Exit()> (*declare)(CLI::App& app);
};

}  // namespace foretell::cli
