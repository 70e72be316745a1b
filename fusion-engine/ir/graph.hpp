// SPDX-License-Identifier: Apache-2.0
// A graph of tensor ops. Nodes are immutable and hash-consed: adding an equal node gives the id of the first,
// so equality is id equality. Operands come before users, so id order is a topological order.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "fusion-engine/ir/attributes.hpp"
#include "fusion-engine/ir/dtype.hpp"
#include "fusion-engine/ir/op_table.hpp"
#include "fusion-engine/ir/shape.hpp"
#include "src/base/result.hpp"

namespace foretell::ir {

enum class NodeId : std::uint32_t {};
constexpr std::size_t index(NodeId id) { return static_cast<std::size_t>(id); }

// dtype and shape of a value.
struct Type {
  DType dtype = DType::F32;
  Shape shape;
  friend bool operator==(const Type&, const Type&) = default;
};
std::string to_string(const Type& type);  // "f32[2,3]"
std::int64_t size_bytes(const Type& type);

struct Node {
  OpKind op = OpKind::Input;
  std::vector<NodeId> operands;
  Attributes attributes;
  Type type;
  friend bool operator==(const Node&, const Node&) = default;
};

struct Output {
  std::string name;
  NodeId node{};
  // The input whose buffer holds this output after a step (KV cache, optimizer state): updated in place. It
  // has the output's type, and no other output updates it. Within the step the input reads its old value
  // everywhere.
  std::optional<NodeId> state_of;
  friend bool operator==(const Output&, const Output&) = default;
};

class Graph {
 public:
  explicit Graph(std::string name = "graph") : name_(std::move(name)) {}

  // The node `op(operands; attributes)`, found or made. Works out its type, fills attribute defaults, stores
  // axes non-negative. Errors (BadInput) name the op and both shapes: "add: can't broadcast [2,3] with [4]".
  Result<NodeId> add(OpKind op, std::span<const NodeId> operands, Attributes attributes = {});
  Result<NodeId> add(OpKind op, std::initializer_list<NodeId> operands, Attributes attributes = {}) {
    return add(op, std::span(operands.begin(), operands.size()), std::move(attributes));
  }
  // An input, its name unique in the graph. `contents`: AttrKey::Low and High, where the defaults don't fit.
  Result<NodeId> input(std::string_view name, Type type, const Attributes& contents = {});
  // A scalar constant, rounded to `dtype`, so that its text gives it back.
  NodeId constant(double value, DType dtype);
  // An output, its name unique among outputs.
  Result<void> output(std::string_view name, NodeId node, std::optional<NodeId> state_of = std::nullopt);
  // A counter no random op of this graph has: one more than the largest.
  std::int64_t fresh_counter() const;

  const std::string& name() const { return name_; }
  std::size_t size() const { return nodes_.size(); }
  const Node& node(NodeId id) const { return nodes_[index(id)]; }
  const Type& type(NodeId id) const { return nodes_[index(id)].type; }
  std::span<const Node> nodes() const { return nodes_; }
  std::span<const NodeId> inputs() const { return inputs_; }  // in order of creation
  std::span<const Output> outputs() const { return outputs_; }
  std::optional<NodeId> find_input(std::string_view name) const;

  // Same name, nodes, inputs and outputs, in the same order.
  friend bool operator==(const Graph& a, const Graph& b);

 private:
  friend struct GraphSurgery;  // of the verifier's test: makes graphs that add() refuses

  std::string name_;
  std::vector<Node> nodes_;
  std::vector<NodeId> inputs_;
  std::vector<Output> outputs_;
  std::unordered_multimap<std::size_t, NodeId> by_hash_;
};

// The axes of a reduction (argmax included), ascending.
Ints reduced_axes(const Node& node);
// For each node, the nodes that read it (each once, ascending).
std::vector<std::vector<NodeId>> users(const Graph& graph);
// For each node, whether an output depends on it.
std::vector<bool> live_nodes(const Graph& graph);

}  // namespace foretell::ir
