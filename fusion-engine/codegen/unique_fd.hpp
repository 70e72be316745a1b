// SPDX-License-Identifier: Apache-2.0
// An owned file descriptor.
#pragma once

#include <unistd.h>

#include <string>
#include <string_view>
#include <utility>

#include "src/base/result.hpp"

namespace foretell::codegen {

class UniqueFd {
 public:
  UniqueFd() = default;
  explicit UniqueFd(int fd) : fd_(fd) {}
  UniqueFd(UniqueFd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  UniqueFd& operator=(UniqueFd&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~UniqueFd() {
    if (fd_ >= 0) {
      ::close(fd_);
    }
  }
  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }

 private:
  int fd_ = -1;
};

// The whole of `text` at the descriptor's position. Errors (Environment): what the system says.
Result<void> write_all(const UniqueFd& fd, std::string_view text);
// All bytes from the start, for a file or memory file. Errors (Environment): what the system says.
Result<std::string> read_all(const UniqueFd& fd);
// A file that lives in memory only, holding `text`, positioned at its start; closed in programs that are
// started.
Result<UniqueFd> memory_file(const char* name, std::string_view text = {});

}  // namespace foretell::codegen
