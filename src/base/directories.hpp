// SPDX-License-Identifier: Apache-2.0
// Where files of ours go: the user's cache, and directories that are new.
#pragma once

#include <filesystem>
#include <string_view>

#include "src/base/result.hpp"

namespace foretell {

// Our directory in the user's cache, "$XDG_CACHE_HOME/foretell" or "~/.cache/foretell"; it need not exist.
// Both arguments are values of the environment; one that is not absolute is ignored, as the XDG Base
// Directory Specification has it. Errors (Environment): neither is.
Result<std::filesystem::path> cache_directory(std::string_view xdg_cache_home, std::string_view home);
// The same by this process's environment.
Result<std::filesystem::path> cache_directory();

// Makes a directory in `parent` that nobody else has or may enter; its name begins with `prefix`. Errors
// (Environment): not writable.
Result<std::filesystem::path> make_unique_directory(const std::filesystem::path& parent,
                                                    std::string_view prefix);

}  // namespace foretell
