// SPDX-License-Identifier: Apache-2.0
// Numbers, lists, types and attribute values of the text form, read from tokens.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "fusion-engine/ir/graph.hpp"
#include "fusion-engine/ir/text_tokens.hpp"

namespace foretell::ir::text {

// Tokens with one of them to look at, and errors that tell their place.
class TokenReader {
 public:
  TokenReader(std::string_view text, std::string_view file)
      : tokens_(text), file_(file), token_(tokens_.next()) {}

  const Token& look() const { return token_; }
  Token take() { return std::exchange(token_, tokens_.next()); }
  Result<void> expect(char punctuation);

  std::string place_of(Position at) const;
  // "expected {what}, found {token}", of the token looked at unless another is given.
  std::unexpected<Error> unexpected(std::string_view what) const { return unexpected(what, token_); }
  std::unexpected<Error> unexpected(std::string_view what, const Token& found) const;

 private:
  Tokenizer tokens_;
  std::string_view file_;
  Token token_;
};

// `what` names the thing in errors: "an integer for 'axis'".
Result<std::int64_t> read_integer(TokenReader& tokens, std::string_view what);
Result<double> read_real(TokenReader& tokens, std::string_view what);
// An identifier or a quoted name.
Result<std::string> read_text(TokenReader& tokens, std::string_view what);
// "f32[2,3]".
Result<Type> read_type(TokenReader& tokens);
// Of the key's type.
Result<AttrValue> read_value(TokenReader& tokens, AttrKey key);

}  // namespace foretell::ir::text
