// SPDX-License-Identifier: Apache-2.0
// Finds where the events of an array end without parsing them: a resumable scan that tracks strings, escapes
// and nesting 64 bytes at a time, several GB/s. It only cuts; whether an event is well-formed is the reader's
// business, and after broken quoting its cuts mean nothing (the reader then refuses the text before them).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace foretell::ingest::kineto {

class StructureScanner {
 public:
  enum class Status : std::uint8_t {
    NeedMore,   // all bytes scanned
    ArrayEnd,   // the array's ] is at end_at()
    Malformed,  // a comma, bracket or value stands where none may be, at end_at()
  };

  // Begins behind the array's opening bracket.
  StructureScanner() = default;

  // Scans `text` from `scanned()` on; the bytes before it were given to earlier calls. Commas between events
  // are recorded in commas().
  Status scan(std::string_view text);

  // Offset of every comma between events in the current text.
  [[nodiscard]] const std::vector<std::uint32_t>& commas() const { return commas_; }
  [[nodiscard]] std::size_t scanned() const { return scanned_; }
  [[nodiscard]] std::size_t end_at() const { return end_at_; }
  // A letter that no JSON literal holds stands outside the strings of text[0, scanned()).
  [[nodiscard]] bool has_bare_words() const { return bare_words_end_ > 0; }
  // Newlines in text[0, scanned()).
  [[nodiscard]] std::uint64_t newlines() const { return newlines_; }

  // What stands behind the last comma (or the array's start): nothing but white space; a whole value; or the
  // beginning of one.
  [[nodiscard]] bool value_seen() const { return value_seen_; }
  [[nodiscard]] bool value_whole() const { return value_seen_ && depth_ == 0 && !in_string_; }

  // Drops the first `bytes` of the text: what remains, `rest`, moves to the front.
  void advance(std::size_t bytes, std::string_view rest);

 private:
  struct Masks {
    std::uint64_t quote, backslash, open, close, comma, newline, letter, space;
  };
  static Masks classify(const char* block);

  // False: malformed or array end, told by status_.
  bool scan_block(const char* block, std::size_t offset, std::size_t length);

  std::size_t scanned_ = 0;
  std::size_t end_at_ = 0;
  std::vector<std::uint32_t> commas_;
  std::uint64_t newlines_ = 0;
  std::int64_t depth_ = 0;
  bool in_string_ = false;
  bool escape_carry_ = false;  // the last byte was a backslash that escapes the next
  bool value_seen_ = false;
  std::size_t bare_words_end_ = 0;  // behind the last bare word
  Status status_ = Status::NeedMore;
  char last_outside_ = ' ';  // last byte outside strings, for the pair test on "nan"
};

}  // namespace foretell::ingest::kineto
