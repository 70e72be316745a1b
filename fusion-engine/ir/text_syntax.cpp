// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/ir/text_syntax.hpp"

#include <fmt/format.h>

#include <utility>

#include "fusion-engine/ir/text_values.hpp"
#include "src/base/text.hpp"

namespace foretell::ir::text {
namespace {

using Kind = Token::Kind;

class SyntaxReader {
 public:
  SyntaxReader(std::string_view text, std::string_view file) : tokens_(text, file) {}

  Result<GraphText> graph();

 private:
  Result<void> statements(std::vector<Statement>& into, std::size_t depth);
  Result<Statement> repeat(std::size_t depth);
  Result<Assignment> assignment();
  Result<OpKind> op();
  Result<void> arguments(Assignment& into);
  Result<void> attribute(Token key, Assignment& into);
  Result<void> outputs(std::vector<OutputItem>& into);
  Result<OutputItem> output_item();
  Result<Name> name(std::string_view expected);
  Result<void> end_of_line();
  void skip_newlines();

  TokenReader tokens_;
};

Name make_name(const Token& token) {
  return {.text = token.text, .is_temporary = token.is(Kind::Temporary), .at = token.at};
}

Result<Name> SyntaxReader::name(std::string_view expected) {
  const Token& token = tokens_.look();
  if (!token.is(Kind::Identifier) && !token.is(Kind::Quoted) && !token.is(Kind::Temporary)) {
    return tokens_.unexpected(expected);
  }
  return make_name(tokens_.take());
}

void SyntaxReader::skip_newlines() {
  while (tokens_.look().is(Kind::Newline)) {
    tokens_.take();
  }
}

Result<void> SyntaxReader::end_of_line() {
  if (tokens_.look().is(Kind::End) || tokens_.look().is('}')) {
    return {};
  }
  if (!tokens_.look().is(Kind::Newline)) {
    return tokens_.unexpected("the end of the line");
  }
  skip_newlines();
  return {};
}

Result<GraphText> SyntaxReader::graph() {
  GraphText graph;
  skip_newlines();
  if (!tokens_.look().is_word("graph")) {
    return tokens_.unexpected("'graph' and a name");
  }
  tokens_.take();
  FORETELL_ASSIGN_OR_RETURN(graph.name, read_text(tokens_, "the graph's name"));
  FORETELL_RETURN_IF_ERROR(end_of_line());
  FORETELL_RETURN_IF_ERROR(statements(graph.statements, 0));
  if (tokens_.look().is_word("return")) {
    tokens_.take();
    FORETELL_RETURN_IF_ERROR(outputs(graph.outputs));
    FORETELL_RETURN_IF_ERROR(end_of_line());
  }
  if (!tokens_.look().is(Kind::End)) {
    return tokens_.unexpected(graph.outputs.empty() ? "a statement" : "nothing after the outputs");
  }
  return graph;
}

// Up to what starts no statement.
Result<void> SyntaxReader::statements(std::vector<Statement>& into, std::size_t depth) {
  skip_newlines();
  while (!tokens_.look().is(Kind::End) && !tokens_.look().is('}') && !tokens_.look().is_word("return")) {
    if (tokens_.look().is_word("repeat")) {
      FORETELL_ASSIGN_OR_RETURN(Statement statement, repeat(depth));
      into.push_back(std::move(statement));
    } else {
      FORETELL_ASSIGN_OR_RETURN(Assignment statement, assignment());
      into.push_back({std::move(statement)});
    }
    FORETELL_RETURN_IF_ERROR(end_of_line());
  }
  return {};
}

Result<Statement> SyntaxReader::repeat(std::size_t depth) {
  Repeat repeat{.count = 1, .at = tokens_.look().at, .body = {}};
  if (depth == kMaxNesting) {
    return fail(ErrorCode::Limit, tokens_.place_of(repeat.at),
                fmt::format("expected at most {} repeats within each other, found more", kMaxNesting));
  }
  tokens_.take();
  const Token count = tokens_.look();
  FORETELL_ASSIGN_OR_RETURN(repeat.count, read_integer(tokens_, "a number of repetitions"));
  if (repeat.count < 1) {
    return tokens_.unexpected("at least 1 repetition", count);
  }
  FORETELL_RETURN_IF_ERROR(tokens_.expect('{'));
  FORETELL_RETURN_IF_ERROR(statements(repeat.body, depth + 1));
  FORETELL_RETURN_IF_ERROR(tokens_.expect('}'));
  return Statement{std::move(repeat)};
}

Result<Assignment> SyntaxReader::assignment() {
  Assignment statement;
  FORETELL_ASSIGN_OR_RETURN(statement.target, name("a statement"));
  if (tokens_.look().is(':')) {
    tokens_.take();
    statement.type_at = tokens_.look().at;
    FORETELL_ASSIGN_OR_RETURN(statement.type, read_type(tokens_));
  }
  FORETELL_RETURN_IF_ERROR(tokens_.expect('='));
  statement.op_at = tokens_.look().at;
  FORETELL_ASSIGN_OR_RETURN(statement.op, op());
  FORETELL_RETURN_IF_ERROR(tokens_.expect('('));
  FORETELL_RETURN_IF_ERROR(arguments(statement));
  return statement;
}

Result<OpKind> SyntaxReader::op() {
  const Token& token = tokens_.look();
  const auto found = token.is(Kind::Identifier) ? find_op(token.text) : std::nullopt;
  if (found.has_value()) {
    tokens_.take();
    return *found;
  }
  std::vector<std::string_view> names;
  for (const OpInfo& row : all_ops()) {
    names.push_back(row.name);
  }
  const auto meant = token.is(Kind::Identifier) ? nearest(token.text, names) : std::nullopt;
  auto error = tokens_.unexpected("an op");
  error.error().hint = meant ? fmt::format("did you mean '{}'?", *meant) : std::string();
  return error;
}

// After the opening parenthesis, the closing one included.
Result<void> SyntaxReader::arguments(Assignment& into) {
  bool first = true;
  bool attributes = false;
  while (!tokens_.look().is(')')) {
    if (!std::exchange(first, false)) {
      if (!tokens_.look().is(',')) {
        return tokens_.unexpected("',' or ')'");
      }
      tokens_.take();
    }
    const Token token = tokens_.look();
    FORETELL_ASSIGN_OR_RETURN(Name operand, name(attributes ? "an attribute" : "an operand or an attribute"));
    if (token.is(Kind::Identifier) && tokens_.look().is('=')) {
      attributes = true;
      FORETELL_RETURN_IF_ERROR(attribute(token, into));
    } else if (attributes) {
      return tokens_.unexpected("an attribute after the first one", token);
    } else {
      into.operands.push_back(std::move(operand));
    }
  }
  tokens_.take();
  return {};
}

Result<void> SyntaxReader::attribute(Token key, Assignment& into) {
  const std::optional<AttrKey> found = find_attr_key(key.text);
  if (!found.has_value()) {
    return tokens_.unexpected("an attribute", key);
  }
  if (into.attributes.find(*found) != nullptr) {
    return fail(ErrorCode::BadInput, tokens_.place_of(key.at),
                fmt::format("attribute '{}' is given twice", key.text));
  }
  tokens_.take();  // the '='
  FORETELL_ASSIGN_OR_RETURN(AttrValue value, read_value(tokens_, *found));
  into.attributes.set(*found, std::move(value));
  return {};
}

Result<void> SyntaxReader::outputs(std::vector<OutputItem>& into) {
  while (true) {
    FORETELL_ASSIGN_OR_RETURN(OutputItem item, output_item());
    into.push_back(std::move(item));
    if (!tokens_.look().is(',')) {
      return {};
    }
    tokens_.take();
  }
}

Result<OutputItem> SyntaxReader::output_item() {
  OutputItem item;
  item.at = tokens_.look().at;
  FORETELL_ASSIGN_OR_RETURN(item.name, read_text(tokens_, "an output's name"));
  FORETELL_RETURN_IF_ERROR(tokens_.expect('='));
  FORETELL_ASSIGN_OR_RETURN(item.value, name("a value"));
  if (tokens_.look().is_word("updates")) {
    tokens_.take();
    FORETELL_ASSIGN_OR_RETURN(item.updates, name("an input to update"));
  }
  return item;
}

}  // namespace

std::string place(std::string_view file, Position at) {
  return fmt::format("{}:{}:{}", file, at.line, at.column);
}

Result<GraphText> read_syntax(std::string_view text, std::string_view file) {
  return SyntaxReader(text, file).graph();
}

}  // namespace foretell::ir::text
