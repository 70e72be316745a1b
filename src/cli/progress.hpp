// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace foretell::cli {

// What goes on, on stderr: only on a terminal; gone when done. A file being read has a bar, once it takes a
// while.
class Progress {
 public:
  explicit Progress(std::string label);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // `total` 0: unknown.
  void update(std::uint64_t done, std::uint64_t total);
  // Of `total` parts `done` are done, and that of this label begins: a bar before its stages.
  void part(std::size_t done, std::size_t total, std::string label);
  // One of a few long stages begins.
  void stage(std::string_view text);

 private:
  std::string parts_;  // the bar of parts; empty: there are none
  std::string label_;
  bool shown_ = false;
  bool enabled_;
  std::chrono::steady_clock::time_point next_;
};

}  // namespace foretell::cli
