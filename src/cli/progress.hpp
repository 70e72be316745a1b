// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace foretell::cli {

// A bar on stderr while a file is read: only on a terminal, only when it takes a while; gone when done.
class Progress {
 public:
  explicit Progress(std::string label);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // `total` 0: unknown.
  void update(std::uint64_t done, std::uint64_t total);

 private:
  std::string label_;
  bool shown_ = false;
  bool enabled_;
  std::chrono::steady_clock::time_point next_;
};

}  // namespace foretell::cli
