// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "fusion-engine/ir/text.hpp"
#include "fusion-engine/ir/text_syntax.hpp"
#include "src/base/text.hpp"

namespace foretell::ir {
namespace {

using text::Assignment;
using text::GraphText;
using text::Name;
using text::OutputItem;
using text::Position;
using text::Repeat;
using text::Statement;

class GraphReader {
 public:
  GraphReader(std::string name, std::string_view file) : graph_(std::move(name)), file_(file) {}

  Result<void> run(const std::vector<Statement>& statements, bool again);
  Result<void> output(const OutputItem& item);
  Graph take() { return std::move(graph_); }

 private:
  Result<void> run(const Assignment& statement);
  Result<void> run(const Repeat& repeat, bool again);
  Result<void> spend(Position at);
  Result<NodeId> find(const Name& name) const;
  // Errors of the graph have no place of their own.
  template <class T>
  Result<T> placed(Result<T> result, Position at) const {
    if (!result.has_value()) {
      result.error().where = text::place(file_, at);
    }
    return result;
  }

  Graph graph_;
  std::string_view file_;
  std::unordered_map<std::string, NodeId> values_;
  std::int64_t next_counter_ = 0;
  std::int64_t further_statements_ = 0;
};

// "%5" and the input "%5", which is written quoted, are two.
std::string key_of(const Name& name) { return (name.is_temporary ? "" : "=") + name.text; }

Result<NodeId> GraphReader::find(const Name& name) const {
  const auto found = values_.find(key_of(name));
  if (found == values_.end()) {
    return fail(ErrorCode::BadInput, text::place(file_, name.at),
                fmt::format("expected a value defined above, found '{}'", printable(name.text)));
  }
  return found->second;
}

Result<void> GraphReader::spend(Position at) {
  if (++further_statements_ > kMaxRepeatedStatements) {
    return fail(
        ErrorCode::Limit, text::place(file_, at),
        fmt::format("expected repeats to add at most {} statements, found more", kMaxRepeatedStatements));
  }
  return {};
}

Result<void> GraphReader::run(const std::vector<Statement>& statements, bool again) {
  for (const Statement& statement : statements) {
    if (const auto* const repeat = std::get_if<Repeat>(&statement.what)) {
      FORETELL_RETURN_IF_ERROR(run(*repeat, again));
      continue;
    }
    const auto& assignment = std::get<Assignment>(statement.what);
    if (again) {
      FORETELL_RETURN_IF_ERROR(spend(assignment.target.at));
    }
    FORETELL_RETURN_IF_ERROR(run(assignment));
  }
  return {};
}

// An empty body costs too, or nested ones could run for ever.
Result<void> GraphReader::run(const Repeat& repeat, bool again) {
  for (std::int64_t i = 0; i < repeat.count; ++i) {
    if (again || i > 0) {
      FORETELL_RETURN_IF_ERROR(spend(repeat.at));
    }
    FORETELL_RETURN_IF_ERROR(run(repeat.body, again || i > 0));
  }
  return {};
}

Result<void> GraphReader::run(const Assignment& statement) {
  std::vector<NodeId> operands;
  operands.reserve(statement.operands.size());
  for (const Name& operand : statement.operands) {
    FORETELL_ASSIGN_OR_RETURN(const NodeId id, find(operand));
    operands.push_back(id);
  }
  Attributes attributes = statement.attributes;
  if (statement.op == OpKind::Input && attributes.find(AttrKey::Name) == nullptr &&
      !statement.target.is_temporary) {
    attributes.set(AttrKey::Name, statement.target.text);
  }
  if (is_random(statement.op) && attributes.find(AttrKey::Counter) == nullptr) {
    attributes.set(AttrKey::Counter, next_counter_);
  }
  FORETELL_ASSIGN_OR_RETURN(
      const NodeId id, placed(graph_.add(statement.op, operands, std::move(attributes)), statement.op_at));
  const Node& node = graph_.node(id);
  if (statement.type.has_value() && *statement.type != node.type) {
    return fail(ErrorCode::BadInput, text::place(file_, statement.type_at),
                fmt::format("expected {} for '{}', found that {} gives {}", to_string(*statement.type),
                            printable(statement.target.text), to_string(node.op), to_string(node.type)));
  }
  if (is_random(node.op)) {
    next_counter_ = std::max(next_counter_, node.attributes.integer(AttrKey::Counter) + 1);
  }
  values_.insert_or_assign(key_of(statement.target), id);
  return {};
}

Result<void> GraphReader::output(const OutputItem& item) {
  FORETELL_ASSIGN_OR_RETURN(const NodeId value, find(item.value));
  std::optional<NodeId> state;
  if (item.updates.has_value()) {
    FORETELL_ASSIGN_OR_RETURN(state, find(*item.updates));
  }
  return placed(graph_.output(item.name, value, state), item.at);
}

}  // namespace

Result<Graph> parse(std::string_view text, std::string_view file) {
  FORETELL_ASSIGN_OR_RETURN(const GraphText syntax, text::read_syntax(text, file));
  GraphReader reader(syntax.name, file);
  FORETELL_RETURN_IF_ERROR(reader.run(syntax.statements, false));
  for (const OutputItem& item : syntax.outputs) {
    FORETELL_RETURN_IF_ERROR(reader.output(item));
  }
  return reader.take();
}

}  // namespace foretell::ir
