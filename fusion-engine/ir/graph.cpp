// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/ir/graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <utility>

#include "fusion-engine/ir/infer.hpp"
#include "fusion-engine/ir/nearest_value.hpp"
#include "src/base/check.hpp"
#include "src/base/text.hpp"

namespace foretell::ir {
namespace {

// Boost's hash_combine with the 64-bit golden ratio.
void mix(std::size_t& hash, std::size_t value) {
  hash ^= value + 0x9E3779B97F4A7C15U + (hash << 6U) + (hash >> 2U);
}

std::size_t hash_of(const AttrValue& value) {
  struct {
    std::size_t operator()(std::int64_t x) const { return static_cast<std::size_t>(x); }
    std::size_t operator()(const Ints& x) const {
      std::size_t hash = x.size();
      for (const std::int64_t each : x) {
        mix(hash, static_cast<std::size_t>(each));
      }
      return hash;
    }
    std::size_t operator()(double x) const { return std::bit_cast<std::uint64_t>(x); }
    std::size_t operator()(bool x) const { return x ? 1 : 0; }
    std::size_t operator()(DType x) const { return static_cast<std::size_t>(x); }
    std::size_t operator()(const std::string& x) const { return std::hash<std::string>()(x); }
  } const visitor;
  return std::visit(visitor, value);
}

// The type follows from the rest.
std::size_t hash_of(const Node& node) {
  auto hash = static_cast<std::size_t>(node.op);
  for (const NodeId operand : node.operands) {
    mix(hash, index(operand));
  }
  for (const auto& [key, value] : node.attributes.entries()) {
    mix(hash, static_cast<std::size_t>(key));
    mix(hash, hash_of(value));
  }
  return hash;
}

}  // namespace

std::string to_string(const Type& type) {
  return fmt::format("{}{}", to_string(type.dtype), to_string(type.shape));
}

std::int64_t size_bytes(const Type& type) {
  return elements(type.shape) * static_cast<std::int64_t>(size_bytes(type.dtype));
}

Result<NodeId> Graph::add(OpKind op, std::span<const NodeId> operands, Attributes attributes) {
  std::vector<Type> types;
  types.reserve(operands.size());
  for (const NodeId operand : operands) {
    FORETELL_CHECK(index(operand) < nodes_.size());
    types.push_back(type(operand));
  }
  FORETELL_ASSIGN_OR_RETURN(const Type result, infer(op, types, attributes));
  if (op == OpKind::Input && find_input(attributes.text(AttrKey::Name)).has_value()) {
    return fail(
        ErrorCode::BadInput, {},
        fmt::format("input: the name '{}' is already an input's", printable(attributes.text(AttrKey::Name))));
  }
  Node node{.op = op,
            .operands = {operands.begin(), operands.end()},
            .attributes = std::move(attributes),
            .type = result};
  const std::size_t hash = hash_of(node);
  const auto [first, last] = by_hash_.equal_range(hash);
  for (auto it = first; it != last; ++it) {
    if (nodes_[index(it->second)] == node) {
      return it->second;
    }
  }
  const auto id = static_cast<NodeId>(nodes_.size());
  if (op == OpKind::Input) {
    inputs_.push_back(id);
  }
  nodes_.push_back(std::move(node));
  by_hash_.emplace(hash, id);
  return id;
}

Result<NodeId> Graph::input(std::string_view name, Type type, const Attributes& contents) {
  Attributes attributes{{AttrKey::Name, std::string(name)},
                        {AttrKey::To, type.dtype},
                        {AttrKey::Shape, Ints(type.shape.begin(), type.shape.end())}};
  for (const auto& [key, value] : contents.entries()) {
    attributes.set(key, value);
  }
  return add(OpKind::Input, {}, std::move(attributes));
}

NodeId Graph::constant(double value, DType dtype) {
  const Result<NodeId> id =
      add(OpKind::Constant, {}, {{AttrKey::Value, nearest_value(value, dtype)}, {AttrKey::To, dtype}});
  FORETELL_CHECK(id.has_value());
  return *id;
}

Result<void> Graph::output(std::string_view name, NodeId node, std::optional<NodeId> state_of) {
  FORETELL_CHECK(index(node) < nodes_.size());
  if (std::ranges::find(outputs_, name, &Output::name) != outputs_.end()) {
    return fail(ErrorCode::BadInput, {},
                fmt::format("output: the name '{}' is already an output's", printable(name)));
  }
  if (state_of.has_value()) {
    FORETELL_CHECK(index(*state_of) < nodes_.size());
    const Node& state = this->node(*state_of);
    if (state.op != OpKind::Input) {
      return fail(ErrorCode::BadInput, {},
                  fmt::format("output '{}': expected an input to update, found {}", printable(name),
                              to_string(state.op)));
    }
    const std::string input_name = printable(state.attributes.text(AttrKey::Name));
    if (state.type != type(node)) {
      return fail(ErrorCode::BadInput, {},
                  fmt::format("output '{}': can't update '{}', {}, by {}", printable(name), input_name,
                              to_string(state.type), to_string(type(node))));
    }
    if (std::ranges::find(outputs_, state_of, &Output::state_of) != outputs_.end()) {
      return fail(
          ErrorCode::BadInput, {},
          fmt::format("output '{}': '{}' is already updated by another output", printable(name), input_name));
    }
  }
  outputs_.push_back({.name = std::string(name), .node = node, .state_of = state_of});
  return {};
}

std::int64_t Graph::fresh_counter() const {
  std::int64_t fresh = 0;
  for (const Node& node : nodes_) {
    if (is_random(node.op)) {
      fresh = std::max(fresh, node.attributes.integer(AttrKey::Counter) + 1);
    }
  }
  return fresh;
}

std::optional<NodeId> Graph::find_input(std::string_view name) const {
  const auto found = std::ranges::find_if(
      inputs_, [&](NodeId id) { return node(id).attributes.text(AttrKey::Name) == name; });
  return found == inputs_.end() ? std::nullopt : std::optional(*found);
}

bool operator==(const Graph& a, const Graph& b) {
  return a.name_ == b.name_ && a.nodes_ == b.nodes_ && a.inputs_ == b.inputs_ && a.outputs_ == b.outputs_;
}

Ints reduced_axes(const Node& node) {
  FORETELL_CHECK(is_reduction(node.op));
  return node.op == OpKind::Argmax ? Ints{node.attributes.integer(AttrKey::Axis)}
                                   : node.attributes.ints(AttrKey::Axes);
}

std::vector<std::vector<NodeId>> users(const Graph& graph) {
  std::vector<std::vector<NodeId>> result(graph.size());
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const auto reader = static_cast<NodeId>(i);
    for (const NodeId operand : graph.node(reader).operands) {
      std::vector<NodeId>& readers = result[index(operand)];
      if (readers.empty() || readers.back() != reader) {
        readers.push_back(reader);
      }
    }
  }
  return result;
}

std::vector<bool> live_nodes(const Graph& graph) {
  std::vector<bool> live(graph.size());
  for (const Output& output : graph.outputs()) {
    live[index(output.node)] = true;
  }
  for (std::size_t i = graph.size(); i-- > 0;) {
    if (live[i]) {
      for (const NodeId operand : graph.nodes()[i].operands) {
        live[index(operand)] = true;
      }
    }
  }
  return live;
}

}  // namespace foretell::ir
