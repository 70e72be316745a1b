// SPDX-License-Identifier: Apache-2.0
// The inflated text of a file, with room to give bytes back, its position, its limit and its progress.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "analyzer/ingest/importer.hpp"
#include "src/base/byte_source.hpp"

namespace foretell::ingest::kineto {

class TextStream {
 public:
  TextStream(ByteSource& source, std::string_view prefix, const ReadOptions& options)
      : source_(source), options_(options), given_back_(prefix) {}

  // Short only at the end of the text. Errors: I/O, and more text than the limit.
  Result<std::size_t> read(std::span<char> into);
  // The next read() delivers `text` first. It must be the text read last.
  void give_back(std::string_view text);

  // Offset of the next byte.
  [[nodiscard]] std::uint64_t offset() const { return offset_; }
  [[nodiscard]] ByteSource& source() { return source_; }

 private:
  ByteSource& source_;
  const ReadOptions& options_;
  std::string given_back_;
  std::size_t given_back_at_ = 0;
  std::uint64_t offset_ = 0;
};

}  // namespace foretell::ingest::kineto
