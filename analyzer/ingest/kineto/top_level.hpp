// SPDX-License-Identifier: Apache-2.0
// Everything of a trace file but its events: walks the root object's keys in whatever order they stand, hands
// the known ones to `metadata` and stops at each event array. Values of unknown keys (environment blocks,
// process lists, log lines) are skipped and never kept.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "analyzer/ingest/kineto/text_stream.hpp"
#include "analyzer/profile/profile_builder.hpp"
#include "src/base/result.hpp"

namespace foretell::ingest::kineto {

class TopLevel {
 public:
  TopLevel(TextStream& stream, const ReadOptions& options, profile::ProfileBuilder& builder)
      : stream_(stream), options_(options), builder_(builder) {}

  enum class Next : std::uint8_t {
    Events,  // the stream stands behind the opening bracket of an event array
    End,     // the root value is closed, or the file ends
  };
  // From the start of the file, or from behind the closing bracket of an event array.
  Result<Next> advance();

  [[nodiscard]] bool is_array() const { return root_ == '['; }
  // Lines before the stream's position, for error texts.
  [[nodiscard]] std::uint64_t line() const { return line_; }
  void set_line(std::uint64_t line) { line_ = line; }
  // The event array ended with the file: nothing can follow.
  void end_of_file() { at_end_ = true; }

 private:
  // Makes text_ hold at least one more byte; false at the end of the file.
  Result<bool> more();
  // The next byte that is not white space; '\0' at the end of the file.
  Result<char> peek();
  void drop(std::size_t bytes);
  // One JSON value (a string with its quotes), mended where needed.
  Result<std::string> value();
  Result<void> skip_tail();
  // Where the text goes wrong, and never what stands there: it may be part of an environment block.
  Error unexpected(std::string_view expected) const;
  Error unexpected_next(std::string_view expected) const;

  TextStream& stream_;
  const ReadOptions& options_;
  profile::ProfileBuilder& builder_;
  std::string text_;  // read, not yet consumed
  std::size_t at_ = 0;
  std::uint64_t line_ = 1;
  char root_ = '\0';
  bool at_end_ = false;
  bool first_key_ = true;
};

}  // namespace foretell::ingest::kineto
