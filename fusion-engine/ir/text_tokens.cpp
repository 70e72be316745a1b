// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/ir/text_tokens.hpp"

#include <fmt/format.h>

#include <charconv>
#include <utility>

#include "fusion-engine/ir/text_names.hpp"
#include "src/base/text.hpp"

namespace foretell::ir::text {
namespace {

using Kind = Token::Kind;

constexpr std::string_view kPunctuation = "=:,()[]{}";
// Longer names are cut in messages.
constexpr std::size_t kShownColumns = 60;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
// Signs of exponents and the letters of inf are in it; what it spells is for the reader of numbers to judge.
bool continues_number(char c) { return continues_identifier(c) || c == '+'; }

}  // namespace

std::string describe(const Token& token) {
  switch (token.kind) {
    case Kind::Newline: return "the end of the line";
    case Kind::End: return "the end of the text";
    case Kind::Invalid: return token.text;
    case Kind::Quoted: return fmt::format("\"{}\"", ellipsize(printable(token.text), kShownColumns));
    case Kind::Identifier:
    case Kind::Temporary:
    case Kind::Number:
    case Kind::Punctuation: break;
  }
  return fmt::format("'{}'", ellipsize(printable(token.text), kShownColumns));
}

char Tokenizer::take() {
  const char c = text_[at_++];
  if (c == '\n') {
    ++position_.line;
    position_.column = 1;
  } else {
    ++position_.column;
  }
  return c;
}

template <class Fits>
std::string Tokenizer::take_while(Fits fits) {
  std::string taken;
  while (at_ < text_.size() && fits(text_[at_])) {
    taken += take();
  }
  return taken;
}

Token Tokenizer::next() {
  take_while([](char c) { return c == ' ' || c == '\t' || c == '\r'; });
  if (look() == '#') {
    take_while([](char c) { return c != '\n'; });
  }
  const Position begin = position_;
  if (at_ == text_.size()) {
    return {.kind = Kind::End, .text = {}, .at = begin};
  }
  const char first = look();
  if (starts_identifier(first)) {
    return {.kind = Kind::Identifier, .text = take_while(continues_identifier), .at = begin};
  }
  if (is_digit(first) || first == '-' || first == '.') {
    return {.kind = Kind::Number, .text = take_while(continues_number), .at = begin};
  }
  take();
  if (first == '\n') {
    return {.kind = Kind::Newline, .text = {}, .at = begin};
  }
  if (kPunctuation.find(first) != std::string_view::npos) {
    return {.kind = Kind::Punctuation, .text = std::string(1, first), .at = begin};
  }
  if (first == '"') {
    return quoted(begin);
  }
  if (first == '%' && is_digit(look())) {
    return {.kind = Kind::Temporary, .text = fmt::format("%{}", take_while(is_digit)), .at = begin};
  }
  const auto byte = static_cast<unsigned char>(first);
  const bool shows = byte > ' ' && byte < 0x7F;
  return {.kind = Kind::Invalid,
          .text = shows ? fmt::format("'{}'", first) : fmt::format("byte 0x{:02x}", byte),
          .at = begin};
}

// After the opening quote.
Token Tokenizer::quoted(Position begin) {
  std::string name;
  const auto invalid = [&](std::string_view what) {
    return Token{.kind = Kind::Invalid, .text = std::string(what), .at = begin};
  };
  while (at_ < text_.size() && look() != '\n') {
    const char c = take();
    if (c == '"') {
      return {.kind = Kind::Quoted, .text = std::move(name), .at = begin};
    }
    if (c != '\\') {
      name += c;
      continue;
    }
    const char escaped = at_ < text_.size() && look() != '\n' ? take() : '\0';
    if (escaped == '"' || escaped == '\\') {
      name += escaped;
    } else if (escaped == 'n') {
      name += '\n';
    } else if (escaped == 'x') {
      const std::string_view digits = text_.substr(at_, 2);
      unsigned byte = 0;
      const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), byte, 16);
      if (error != std::errc() || digits.size() != 2 || end != digits.data() + 2) {
        return invalid("an escape \\x without two hexadecimal digits");
      }
      take();
      take();
      name += static_cast<char>(byte);
    } else {
      return invalid("an unknown escape in a quoted name");
    }
  }
  return invalid("a quoted name without its end");
}

}  // namespace foretell::ir::text
