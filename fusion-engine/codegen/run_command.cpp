// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/codegen/run_command.hpp"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "fusion-engine/codegen/unique_fd.hpp"
#include "src/base/system_message.hpp"

namespace foretell::codegen {
namespace {

std::vector<std::string> environment_of(const Command& command) {
  std::vector<std::string> entries;
  const auto is_set_by_command = [&](std::string_view entry) {
    return std::ranges::any_of(command.environment, [&](const auto& pair) {
      return entry.size() > pair.first.size() && entry.starts_with(pair.first) &&
             entry[pair.first.size()] == '=';
    });
  };
  for (char** entry = environ; *entry != nullptr; ++entry) {
    if (!is_set_by_command(*entry)) {
      entries.emplace_back(*entry);
    }
  }
  for (const auto& [name, value] : command.environment) {
    entries.emplace_back(name).append("=").append(value);
  }
  return entries;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) {
    result.push_back(text.data());
  }
  result.push_back(nullptr);
  return result;
}

}  // namespace

Result<CommandResult> run_command(const Command& command) {
  FORETELL_ASSIGN_OR_RETURN(const UniqueFd input, memory_file("input", command.input));
  FORETELL_ASSIGN_OR_RETURN(const UniqueFd output, memory_file("output"));
  FORETELL_ASSIGN_OR_RETURN(const UniqueFd diagnostics, memory_file("diagnostics"));
  std::vector<std::string> arguments = command.arguments;
  std::vector<std::string> environment = environment_of(command);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input.get(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output.get(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, diagnostics.get(), STDERR_FILENO);
  pid_t pid = 0;
  const int error = ::posix_spawn(&pid, arguments[0].c_str(), &actions, nullptr, pointers(arguments).data(),
                                  pointers(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    return fail(ErrorCode::Environment, arguments[0], "can't be started: " + system_message(error));
  }

  int status = 0;
  while (::waitpid(pid, &status, 0) < 0) {
    if (errno != EINTR) {
      return fail(ErrorCode::Environment, arguments[0], "its end was lost: " + system_message(errno));
    }
  }
  CommandResult result;
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  FORETELL_ASSIGN_OR_RETURN(result.output, read_all(output));
  FORETELL_ASSIGN_OR_RETURN(result.diagnostics, read_all(diagnostics));
  return result;
}

}  // namespace foretell::codegen
