// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <iterator>

#include "fusion-engine/ir/attribute_defaults.hpp"
#include "fusion-engine/ir/text.hpp"
#include "fusion-engine/ir/text_names.hpp"

namespace foretell::ir {
namespace {

std::string to_text(const AttrValue& value) {
  struct {
    std::string operator()(std::int64_t x) const { return fmt::format("{}", x); }
    std::string operator()(const Ints& x) const { return fmt::format("[{}]", fmt::join(x, ",")); }
    std::string operator()(double x) const { return fmt::format("{}", x); }  // shortest that reads back
    std::string operator()(bool x) const { return x ? "true" : "false"; }
    std::string operator()(DType x) const { return std::string(to_string(x)); }
    std::string operator()(const std::string& x) const { return quote_if_needed(x); }
  } const visitor;
  return std::visit(visitor, value);
}

std::string name_of(const Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  return node.op == OpKind::Input ? quote_if_needed(node.attributes.text(AttrKey::Name))
                                  : fmt::format("%{}", index(id));
}

bool is_default(const Node& node, AttrKey key, const AttrValue& value) {
  if (key == AttrKey::Steps) {
    return std::get<Ints>(value) == Ints(std::get<Ints>(value).size(), 1);
  }
  const std::optional<AttrValue> usual = default_value(node.op, key);
  return usual.has_value() && Attributes{{key, *usual}} == Attributes{{key, value}};
}

std::string statement(const Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  std::string text =
      fmt::format("{}: {} = {}(", name_of(graph, id), to_string(node.type), to_string(node.op));
  std::string_view separator;
  for (const NodeId operand : node.operands) {
    text += separator;
    text += name_of(graph, operand);
    separator = ", ";
  }
  for (const AttrKey key : info(node.op).attributes()) {
    const AttrValue& value = *node.attributes.find(key);
    if (key != AttrKey::Name && !is_default(node, key, value)) {
      fmt::format_to(std::back_inserter(text), "{}{}={}", separator, info(key).name, to_text(value));
      separator = ", ";
    }
  }
  return text + ")\n";
}

}  // namespace

std::string print(const Graph& graph) {
  std::string text = fmt::format("graph {}\n", quote_if_needed(graph.name()));
  for (std::size_t i = 0; i < graph.size(); ++i) {
    text += statement(graph, static_cast<NodeId>(i));
  }
  std::string_view separator = "return ";
  for (const Output& output : graph.outputs()) {
    fmt::format_to(std::back_inserter(text), "{}{}={}", separator, quote_if_needed(output.name),
                   name_of(graph, output.node));
    if (output.state_of.has_value()) {
      text += " updates " + name_of(graph, *output.state_of);
    }
    separator = ", ";
  }
  return graph.outputs().empty() ? text : text + "\n";
}

}  // namespace foretell::ir
