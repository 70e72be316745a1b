// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/ir/text_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "fusion-engine/ir/text_syntax.hpp"

namespace foretell::ir::text {
namespace {

using Kind = Token::Kind;

template <class T>
bool spells(const std::string& text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

Result<Ints> read_integers(TokenReader& tokens, std::string_view what) {
  FORETELL_RETURN_IF_ERROR(tokens.expect('['));
  Ints values;
  while (!tokens.look().is(']')) {
    if (!values.empty()) {
      if (!tokens.look().is(',')) {
        return tokens.unexpected("',' or ']'");
      }
      tokens.take();
    }
    FORETELL_ASSIGN_OR_RETURN(const std::int64_t value, read_integer(tokens, what));
    values.push_back(value);
  }
  tokens.take();
  return values;
}

Result<bool> read_flag(TokenReader& tokens, std::string_view what) {
  const bool truth = tokens.look().is_word("true");
  if (!truth && !tokens.look().is_word("false")) {
    return tokens.unexpected(what);
  }
  tokens.take();
  return truth;
}

Result<DType> read_dtype(TokenReader& tokens, std::string_view what) {
  const Token& token = tokens.look();
  const auto dtype = token.is(Kind::Identifier) ? find_dtype(token.text) : std::nullopt;
  if (!dtype.has_value()) {
    return tokens.unexpected(what);
  }
  tokens.take();
  return *dtype;
}

template <class T>
Result<AttrValue> as_value(Result<T> value) {
  if (!value.has_value()) {
    return std::unexpected(std::move(value).error());
  }
  return AttrValue(*std::move(value));
}

}  // namespace

Result<void> TokenReader::expect(char punctuation) {
  if (!token_.is(punctuation)) {
    return unexpected(fmt::format("'{}'", punctuation));
  }
  take();
  return {};
}

std::string TokenReader::place_of(Position at) const { return place(file_, at); }

std::unexpected<Error> TokenReader::unexpected(std::string_view what, const Token& found) const {
  return fail(ErrorCode::BadInput, place_of(found.at),
              fmt::format("expected {}, found {}", what, describe(found)));
}

Result<std::int64_t> read_integer(TokenReader& tokens, std::string_view what) {
  std::int64_t value = 0;
  if (!tokens.look().is(Kind::Number) || !spells(tokens.look().text, value)) {
    return tokens.unexpected(what);
  }
  tokens.take();
  return value;
}

Result<double> read_real(TokenReader& tokens, std::string_view what) {
  double value = 0;
  const Token& token = tokens.look();
  const bool may_spell = token.is(Kind::Number) || token.is_word("inf") || token.is_word("nan");
  if (!may_spell || !spells(token.text, value)) {
    return tokens.unexpected(what);
  }
  tokens.take();
  return std::isnan(value) ? std::numeric_limits<double>::quiet_NaN() : value;
}

Result<std::string> read_text(TokenReader& tokens, std::string_view what) {
  if (!tokens.look().is(Kind::Identifier) && !tokens.look().is(Kind::Quoted)) {
    return tokens.unexpected(what);
  }
  return tokens.take().text;
}

Result<Type> read_type(TokenReader& tokens) {
  FORETELL_ASSIGN_OR_RETURN(const DType dtype, read_dtype(tokens, "a type as f32[2,3]"));
  const Token begin = tokens.look();
  FORETELL_ASSIGN_OR_RETURN(const Ints extents, read_integers(tokens, "an extent"));
  if (extents.size() > kMaxRank ||
      std::ranges::any_of(extents, [](std::int64_t extent) { return extent < 0; })) {
    return fail(ErrorCode::BadInput, tokens.place_of(begin.at),
                fmt::format("expected at most {} extents of at least 0, found [{}]", kMaxRank,
                            fmt::join(extents, ",")));
  }
  return Type{.dtype = dtype, .shape = Shape(std::span<const std::int64_t>(extents))};
}

Result<AttrValue> read_value(TokenReader& tokens, AttrKey key) {
  const auto what = [&](std::string_view kind) { return fmt::format("{} for '{}'", kind, info(key).name); };
  switch (info(key).type) {
    case AttrType::Int: return as_value(read_integer(tokens, what("an integer of 64 bits")));
    case AttrType::Ints: return as_value(read_integers(tokens, what("an integer of 64 bits")));
    case AttrType::Real: return as_value(read_real(tokens, what("a number")));
    case AttrType::Flag: return as_value(read_flag(tokens, what("true or false")));
    case AttrType::Type: return as_value(read_dtype(tokens, what("an element type")));
    case AttrType::Text: return as_value(read_text(tokens, what("a name")));
  }
  return tokens.unexpected("an attribute");
}

}  // namespace foretell::ir::text
