// SPDX-License-Identifier: Apache-2.0
// The traces below $FORETELL_CORPUS; tests of them are skipped where it is not set.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

namespace foretell::corpus {

class CorpusTest : public testing::Test {
 protected:
  void SetUp() override {
    const char* const root = std::getenv("FORETELL_CORPUS");
    if (root == nullptr || *root == '\0') {
      // The recorded traces are no part of the project: whoever has some names their folder.
      GTEST_SKIP() << "FORETELL_CORPUS is not set";
    }
    root_ = root;
  }

  // Every JSON file there, in order; not all of them are traces.
  [[nodiscard]] std::vector<std::string> files() const {
    std::vector<std::string> paths;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root_)) {
      const std::string path = entry.path().string();
      if (entry.is_regular_file() && (path.ends_with(".json") || path.ends_with(".json.gz"))) {
        paths.push_back(path);
      }
    }
    std::ranges::sort(paths);
    return paths;
  }
  [[nodiscard]] std::string file(const std::string& name) const {
    return (root_ / (name + ".json.gz")).string();
  }

 private:
  std::filesystem::path root_;
};

}  // namespace foretell::corpus
