// SPDX-License-Identifier: Apache-2.0
// For tests: a directory of one's own, removed at the end.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "src/base/check.hpp"
#include "src/base/directories.hpp"

namespace foretell::codegen {

class TestDirectory {
 public:
  TestDirectory() {
    auto made = make_unique_directory(std::filesystem::temp_directory_path(), "foretell_");
    FORETELL_CHECK(made.has_value());
    path_ = *std::move(made);
  }
  TestDirectory(const TestDirectory&) = delete;
  TestDirectory& operator=(const TestDirectory&) = delete;
  ~TestDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(std::string_view name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

inline void write_text(const std::filesystem::path& path, std::string_view text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  FORETELL_CHECK(file.flush().good());
}

inline std::string read_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void write_script(const std::filesystem::path& path, std::string_view text) {
  write_text(path, text);
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
}

}  // namespace foretell::codegen
