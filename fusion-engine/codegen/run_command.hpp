// SPDX-License-Identifier: Apache-2.0
// Runs a program without a shell.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/base/result.hpp"

namespace foretell::codegen {

struct Command {
  std::vector<std::string> arguments;                              // the first is the program's path
  std::string_view input;                                          // its stdin
  std::vector<std::pair<std::string, std::string>> environment{};  // set on top of ours
};
struct CommandResult {
  int status = 0;  // exit status; 128 + N when signal N ended it
  std::string output;
  std::string diagnostics;  // stderr
};
// Waits for its end, however long: who interrupts the terminal ends both. Its streams are files in memory, so
// a daemon it leaves behind (as compiler caches do) keeps nobody waiting. Errors (Environment): it can't be
// started.
Result<CommandResult> run_command(const Command& command);

}  // namespace foretell::codegen
