// SPDX-License-Identifier: Apache-2.0
// The text form as a tree: what is written, before names are looked up and types worked out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "fusion-engine/ir/graph.hpp"
#include "fusion-engine/ir/text_tokens.hpp"

namespace foretell::ir::text {

// Repeats within repeats; deeper ones are refused, since reading them recurs.
inline constexpr std::size_t kMaxNesting = 16;

struct Name {
  std::string text;
  bool is_temporary = false;  // %5
  Position at;
};

struct Assignment {
  Name target;
  std::optional<Type> type;  // as claimed
  Position type_at;
  OpKind op = OpKind::Input;
  Position op_at;
  std::vector<Name> operands;
  Attributes attributes;
};

struct Statement;
struct Repeat {
  std::int64_t count = 1;
  Position at;
  std::vector<Statement> body;
};
struct Statement {
  std::variant<Assignment, Repeat> what;
};

struct OutputItem {
  std::string name;
  Position at;
  Name value;
  std::optional<Name> updates;
};

struct GraphText {
  std::string name;
  std::vector<Statement> statements;
  std::vector<OutputItem> outputs;
};

// Errors (BadInput): "expected ..., found ..." at "file:line:column".
Result<GraphText> read_syntax(std::string_view text, std::string_view file);
// "file:line:column".
std::string place(std::string_view file, Position at);

}  // namespace foretell::ir::text
