// SPDX-License-Identifier: Apache-2.0
#include "analyzer/ingest/kineto/repair.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "src/base/text.hpp"

namespace foretell::ingest::kineto {
namespace {

constexpr std::size_t kMaxDepth = 256;                     // events nest 3 deep; this only bounds the stack
constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '/' || c == '_';
}
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

// Length of the valid UTF-8 sequence `text` starts with; 0: invalid. Needs no more bytes than it has.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const auto follows = [&](std::size_t i) { return (byte(i) & 0xC0U) == 0x80U; };
  const unsigned lead = byte(0);
  if (lead < 0x80) {
    return 1;
  }
  if (lead >= 0xC2 && lead <= 0xDF) {
    return follows(1) ? 2 : 0;
  }
  if (lead >= 0xE0 && lead <= 0xEF) {
    const bool overlong = lead == 0xE0 && byte(1) < 0xA0;
    const bool surrogate = lead == 0xED && byte(1) >= 0xA0;
    return follows(1) && follows(2) && !overlong && !surrogate ? 3 : 0;
  }
  if (lead >= 0xF0 && lead <= 0xF4) {
    const bool overlong = lead == 0xF0 && byte(1) < 0x90;
    const bool beyond = lead == 0xF4 && byte(1) >= 0x90;
    return follows(1) && follows(2) && follows(3) && !overlong && !beyond ? 4 : 0;
  }
  return 0;
}

class Transcriber {
 public:
  explicit Transcriber(std::string_view text) : text_(text) {}

  std::expected<Repaired, RepairFailure> run() {
    out_.json.reserve(std::min<std::size_t>(text_.size(), 1024));
    if (!value(0)) {
      return std::unexpected(std::move(failure_));
    }
    out_.consumed = at_;
    return std::move(out_);
  }

 private:
  [[nodiscard]] bool at_end() const { return at_ >= text_.size(); }
  [[nodiscard]] char peek() const { return text_[at_]; }

  bool refuse(std::string expected) {
    failure_ = {.at = at_, .needs_more = false, .expected = std::move(expected)};
    return false;
  }
  bool refuse_found(std::string_view expected) {
    return refuse(fmt::format("expected {}, found {}", expected, shown(peek())));
  }
  bool refuse_depth() { return refuse(fmt::format("nested deeper than {} levels, the limit,", kMaxDepth)); }
  bool ends() {
    failure_ = {.at = text_.size(), .needs_more = true, .expected = "the text ends inside the value"};
    return false;
  }
  // White space is kept: shapes are compared as text, and most are read without a repair.
  void skip_space() {
    while (!at_end() && is_space(peek())) {
      copy();
    }
  }
  // Skips white space; false with a failure at the end of the text.
  bool next() {
    skip_space();
    return !at_end() || ends();
  }

  bool value(std::size_t depth) {
    if (!next()) {
      return false;
    }
    switch (peek()) {
      case '{': return depth < kMaxDepth ? object(depth) : refuse_depth();
      case '[': return depth < kMaxDepth ? array(depth) : refuse_depth();
      case '"': return string();
      default: return scalar();
    }
  }

  bool object(std::size_t depth) {
    copy();
    if (!next()) {
      return false;
    }
    if (peek() == '}') {
      copy();
      return true;
    }
    while (true) {
      if (!next()) {
        return false;
      }
      if (peek() != '"') {
        return refuse_found("'\"' to open a key");
      }
      if (!string() || !next()) {
        return false;
      }
      if (peek() != ':') {
        return refuse_found("':' after a key");
      }
      copy();
      if (!value(depth + 1) || !next()) {
        return false;
      }
      if (peek() == '}') {
        copy();
        return true;
      }
      if (peek() != ',') {
        return refuse_found("',' or '}' after a value");
      }
      copy();
    }
  }

  bool array(std::size_t depth) {
    copy();
    if (!next()) {
      return false;
    }
    if (peek() == ']') {
      copy();
      return true;
    }
    while (true) {
      if (!value(depth + 1) || !next()) {
        return false;
      }
      if (peek() == ']') {
        copy();
        return true;
      }
      if (peek() != ',') {
        return refuse_found("',' or ']' after a value");
      }
      copy();
    }
  }

  // Where the string that opens at at_ closes, and whether it holds an escape JSON does not know.
  bool survey_string(std::size_t& close, bool& illegal) {
    illegal = false;
    for (std::size_t i = at_ + 1; i < text_.size(); ++i) {
      if (text_[i] == '"') {
        close = i;
        return true;
      }
      if (text_[i] == '\\') {
        if (i + 1 >= text_.size()) {
          break;
        }
        const char escaped = text_[i + 1];
        if (escaped == 'u') {
          illegal |= i + 5 >= text_.size() || !std::ranges::all_of(text_.substr(i + 2, 4), is_hex);
        } else {
          illegal |= std::string_view("\"\\/bfnrt").find(escaped) == std::string_view::npos;
        }
        ++i;
      }
    }
    return ends();
  }

  bool string() {
    std::size_t close = 0;
    bool illegal = false;
    if (!survey_string(close, illegal)) {
      return false;
    }
    copy();
    bool repaired = false;
    const auto repair = [&](std::string_view with) {
      if (!out_.first_repair) {
        out_.first_repair = at_;
      }
      repaired = true;
      out_.json += with;
    };
    while (at_ < close) {
      const char c = peek();
      if (c == '\\') {
        const char escaped = text_[at_ + 1];
        if (illegal && escaped != '"' && escaped != '\\') {
          repair("\\\\");
          ++at_;
        } else if (escaped == 'u') {
          escape_unicode(repair);
        } else {
          copy();
          copy();
        }
      } else if (static_cast<unsigned char>(c) < 0x20) {
        repair(kReplacement);
        ++at_;
      } else if (static_cast<unsigned char>(c) < 0x80) {
        copy();
      } else {
        const std::size_t length = utf8_length(text_.substr(at_, close - at_));
        if (length == 0) {
          repair(kReplacement);
          ++at_;
        } else {
          out_.json += text_.substr(at_, length);
          at_ += length;
        }
      }
    }
    copy();
    out_.strings_repaired += repaired ? 1 : 0;
    out_.illegal_escapes |= illegal;
    return true;
  }

  // A \u escape that survey_string found whole: copies it, with its other half if it is a surrogate pair.
  void escape_unicode(const auto& repair) {
    const auto code_at = [&](std::size_t i) -> unsigned {
      if (i + 6 > text_.size() || text_[i] != '\\' || text_[i + 1] != 'u') {
        return 0;
      }
      unsigned code = 0;
      for (const char c : text_.substr(i + 2, 4)) {
        code = code * 16 + static_cast<unsigned>(is_digit(c) ? c - '0' : (c | 0x20) - 'a' + 10);
      }
      return code;
    };
    const unsigned code = code_at(at_);
    std::size_t length = 6;
    if (code >= 0xD800 && code <= 0xDFFF) {
      const unsigned low = code_at(at_ + 6);
      if (code >= 0xDC00 || low < 0xDC00 || low > 0xDFFF) {
        repair(kReplacement);
        at_ += length;
        return;
      }
      length = 12;
    }
    out_.json += text_.substr(at_, length);
    at_ += length;
  }

  bool scalar() {
    const std::size_t begin = at_;
    while (!at_end() &&
           (is_word(peek()) || peek() == '+' || peek() == '-' || peek() == '.' || peek() == '#')) {
      ++at_;
    }
    if (at_end()) {
      return ends();
    }
    const std::string_view word = text_.substr(begin, at_ - begin);
    if (word == "true" || word == "false" || word == "null" || is_number(word)) {
      out_.json += word;
      return true;
    }
    if (is_non_finite(word) || is_malformed_number(word)) {
      ++out_.non_finite;
      out_.json += "null";
      return true;
    }
    at_ = begin;
    return word.empty() ? refuse_found("a value")
                        : refuse(fmt::format("expected a value, found '{}'", ellipsize(word, 40)));
  }

  static bool is_number(std::string_view word) {
    std::size_t i = 0;
    const auto digits = [&] {
      const std::size_t begin = i;
      while (i < word.size() && is_digit(word[i])) {
        ++i;
      }
      return i - begin;
    };
    i += word.starts_with('-') ? 1 : 0;
    const bool zero = i < word.size() && word[i] == '0';
    const std::size_t whole = digits();
    if (whole == 0 || (zero && whole > 1)) {
      return false;
    }
    if (i < word.size() && word[i] == '.') {
      ++i;
      if (digits() == 0) {
        return false;
      }
    }
    if (i < word.size() && (word[i] == 'e' || word[i] == 'E')) {
      ++i;
      i += i < word.size() && (word[i] == '+' || word[i] == '-') ? 1 : 0;
      if (digits() == 0) {
        return false;
      }
    }
    return i == word.size();
  }

  // ".5", "+3", "01": no JSON, and no number that could be trusted either.
  static bool is_malformed_number(std::string_view word) {
    return word.find_first_of("0123456789") != std::string_view::npos &&
           word.find_first_not_of("0123456789+-.eE") == std::string_view::npos;
  }

  static bool is_non_finite(std::string_view word) {
    constexpr std::array<std::string_view, 5> kWords{"inf", "nan", "infinity", "n/a", "na"};
    if (word.starts_with('-') || word.starts_with('+')) {
      word.remove_prefix(1);
    }
    if (word.starts_with("1.#")) {  // how a Windows C library prints them
      return true;
    }
    return std::ranges::any_of(kWords, [&](std::string_view w) { return equals_ignore_case(w, word); });
  }

  void copy() { out_.json += text_[at_++]; }

  std::string_view text_;
  std::size_t at_ = 0;
  Repaired out_;
  RepairFailure failure_;
};

}  // namespace

std::string shown(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x20 && byte < 0x7F ? fmt::format("'{}'", c) : fmt::format("byte 0x{:02X}", byte);
}

std::expected<Repaired, RepairFailure> repair_value(std::string_view text) { return Transcriber(text).run(); }

}  // namespace foretell::ingest::kineto
