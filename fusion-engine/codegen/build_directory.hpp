// SPDX-License-Identifier: Apache-2.0
// A directory for one compilation, removed at the end. Its file "owner" is locked as long as its process
// lives, so a directory whose file can be locked was left by a dead one.
#pragma once

#include <filesystem>
#include <string_view>

#include "fusion-engine/codegen/unique_fd.hpp"
#include "src/base/result.hpp"

namespace foretell::codegen {

inline constexpr std::string_view kBuildPrefix = "build-";

class BuildDirectory {
 public:
  // Errors (Environment): it can't be made or locked; nothing is left then.
  static Result<BuildDirectory> create(const std::filesystem::path& parent);
  BuildDirectory(BuildDirectory&&) noexcept = default;
  BuildDirectory& operator=(BuildDirectory&&) = delete;
  ~BuildDirectory();
  const std::filesystem::path& path() const { return path_; }

 private:
  BuildDirectory(std::filesystem::path path, UniqueFd owner)
      : path_(std::move(path)), owner_(std::move(owner)) {}
  std::filesystem::path path_;
  UniqueFd owner_;
};

// Removes the directory if its owner is dead. Best effort.
void remove_dead_build(const std::filesystem::path& directory);

}  // namespace foretell::codegen
