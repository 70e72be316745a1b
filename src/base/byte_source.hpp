// SPDX-License-Identifier: Apache-2.0
// A file read once, front to back, as plain bytes: gzip is recognised by its magic bytes, never by the file's
// name, and inflated on the way (several members are one stream; what a cut stream still holds is delivered).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "src/base/result.hpp"

namespace foretell {

// What was odd about the container. All false for a plain file.
struct ContainerFacts {
  bool compressed = false;
  std::uint64_t members = 0;       // whole gzip members read
  bool ends_early = false;         // the last member has no end
  bool checksum_mismatch = false;  // bytes were delivered that fail their checksum
  bool damaged = false;            // a deflate block is invalid; reading stopped there
  bool trailing_bytes = false;     // something other than zero padding follows the last member
};

class ByteSource {
 public:
  virtual ~ByteSource() = default;

  // Fills `into` as far as it can; fewer bytes than asked for, 0 included, mean the end. An error is an I/O
  // error.
  virtual Result<std::size_t> read(std::span<char> into) = 0;

  [[nodiscard]] virtual const ContainerFacts& container() const = 0;
  // Bytes of the file on disk consumed so far, for progress.
  [[nodiscard]] virtual std::uint64_t consumed_bytes() const = 0;
  // Size of the file on disk; 0 for a pipe.
  [[nodiscard]] virtual std::uint64_t size_bytes() const = 0;
  [[nodiscard]] virtual const std::string& path() const = 0;
};

// "-" is standard input. Errors: no such file, a directory, no permission.
Result<std::unique_ptr<ByteSource>> open_source(const std::string& path);

// The same over memory, for tests and the fuzzer. `bytes` must outlive the source.
std::unique_ptr<ByteSource> open_memory(std::span<const char> bytes, std::string path = "memory");

}  // namespace foretell
