// SPDX-License-Identifier: Apache-2.0
// The words of the text form. Any bytes give tokens; what no token starts with is an Invalid one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace foretell::ir::text {

// Both from 1; columns count bytes.
struct Position {
  std::uint32_t line = 1;
  std::uint32_t column = 1;
};

struct Token {
  enum class Kind : std::uint8_t {
    Identifier,
    Quoted,
    Temporary,
    Number,
    Punctuation,
    Newline,
    End,
    Invalid
  };
  Kind kind = Kind::End;
  std::string text;  // of a quoted name: without quotes and escapes; of an invalid one: what is wrong
  Position at;

  bool is(Kind wanted) const { return kind == wanted; }
  bool is(char punctuation) const { return kind == Kind::Punctuation && text[0] == punctuation; }
  bool is_word(std::string_view word) const { return kind == Kind::Identifier && text == word; }
};
// "'relu'", "the end of the line".
std::string describe(const Token& token);

class Tokenizer {
 public:
  // `text` must outlive the tokenizer.
  explicit Tokenizer(std::string_view text) : text_(text) {}

  // The next token; after the last, End for ever. Blanks and comments are skipped.
  Token next();

 private:
  char look() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  char take();
  template <class Fits>
  std::string take_while(Fits fits);
  Token quoted(Position begin);

  std::string_view text_;
  std::size_t at_ = 0;
  Position position_;
};

}  // namespace foretell::ir::text
