// SPDX-License-Identifier: Apache-2.0
#include "src/base/directories.hpp"

#include <cerrno>
#include <cstdlib>
#include <string>

#include "src/base/system_message.hpp"

namespace foretell {

Result<std::filesystem::path> cache_directory(std::string_view xdg_cache_home, std::string_view home) {
  if (xdg_cache_home.starts_with('/')) {
    return std::filesystem::path(xdg_cache_home) / "foretell";
  }
  if (home.starts_with('/')) {
    return std::filesystem::path(home) / ".cache" / "foretell";
  }
  return fail(ErrorCode::Environment, {}, "neither XDG_CACHE_HOME nor HOME names a directory",
              "set XDG_CACHE_HOME to a directory that only you can write to");
}

Result<std::filesystem::path> cache_directory() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string_view(value == nullptr ? "" : value);
  };
  return cache_directory(variable("XDG_CACHE_HOME"), variable("HOME"));
}

Result<std::filesystem::path> make_unique_directory(const std::filesystem::path& parent,
                                                    std::string_view prefix) {
  constexpr std::size_t kPlaces = 6;  // what mkdtemp fills in
  std::string path = (parent / prefix).string() + std::string(kPlaces, 'X');
  if (::mkdtemp(path.data()) == nullptr) {
    return fail(ErrorCode::Environment, parent.string(), "not writable: " + system_message(errno));
  }
  return path;
}

}  // namespace foretell
