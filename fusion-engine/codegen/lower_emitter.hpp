// SPDX-License-Identifier: Apache-2.0
// Writes values into the scope they belong to: the outermost one in which all they depend on is known. So
// what a loop does not change is computed before it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fusion-engine/codegen/kernel.hpp"
#include "fusion-engine/codegen/lower_nest.hpp"
#include "fusion-engine/ir/loop_ir.hpp"

namespace foretell::codegen {

class Emitter {
 public:
  Emitter(const ir::Graph& graph, const passes::FusionGroup& group, const Nest& nest,
          const CodegenOptions& options);

  const ir::Graph& graph() const { return graph_; }
  const passes::FusionGroup& group() const { return group_; }
  const Nest& nest() const { return nest_; }
  int lanes() const { return lanes_; }
  std::size_t vector_dim() const { return nest_.dims.size() - 1; }  // that lanes walk: the last

  // Scopes. The first one is a stage's prologue. `dims`: of the nest, known from here on.
  void open(const std::vector<std::size_t>& dims);
  std::vector<ir::loop::Statement> close();
  // Closes the scope as the body of a loop over `dim`, in the scope around it.
  void append_loop(const NestDim& dim, bool of_unit, ir::loop::For::Kind kind, int copies);
  // The same over the vector dimension, or the unit's tile of it.
  void append_tile_loop(std::int64_t tile);
  void append(ir::loop::Statement statement) { scopes_.back().body.push_back(std::move(statement)); }
  void remark(std::string text) { append({ir::loop::Remark{std::move(text)}}); }

  // Names of values, computed if they are not at hand.
  std::string read(ir::NodeId operand, ir::NodeId reader) { return find_read(operand, reader).name; }
  std::string member(ir::NodeId id) { return find_member(id).name; }
  // `meaning` names it ("count") where the value itself has no name ("zero").
  std::string literal(double value, ir::DType dtype, std::string_view meaning = {}) {
    return find_literal(value, dtype, meaning).name;
  }
  // In the current scope: a value of no node.
  std::string let(std::string_view prefix, ir::DType dtype, ir::loop::Expr value);
  // From here on, in this scope, the value of the node.
  void bind(ir::NodeId id, std::string name);
  // From here on the value of the node is in a buffer, at this place.
  void keep_in(ir::NodeId id, std::string buffer, ir::loop::Place at) {
    kept_[id] = {std::move(buffer), std::move(at)};
  }
  void forget_kept() { kept_.clear(); }

  void store_output(ir::NodeId id);
  // Hints at what the same lanes read one step of `dim` later, of inputs that lie along both; and two steps
  // later, of inputs too large for the caches (measured on a layer norm over 256 MiB: 3 % less time).
  void prefetch_inputs(std::size_t dim);
  // Hints at what the same lanes read `bytes` further on, of inputs too large for the caches.
  void prefetch_ahead(std::int64_t bytes);
  // Whether the output has one element per unit rather than one per element of the space.
  bool is_written_once(ir::NodeId output) const;

  // "acc0", "acc1", ...; the name of a node: "relu0".
  std::string fresh(std::string_view prefix);
  std::string name_of(ir::NodeId id);

  std::string add_scratch(ir::DType dtype, std::int64_t elements);
  std::string add_local(std::string_view prefix, ir::DType dtype, std::int64_t elements);
  const std::vector<ir::loop::Buffer>& buffers() const { return buffers_; }

 private:
  // A value at hand, and the scope (its position) that it is in.
  struct Value {
    std::string name;
    std::size_t scope = 0;
  };
  enum class Key : std::uint8_t { Node, Access, Literal };
  struct Scope {
    std::vector<ir::loop::Statement> body;
    std::vector<bool> known;  // dims
    std::map<std::pair<Key, std::uint64_t>, std::string> values;
  };

  Value find_read(ir::NodeId operand, ir::NodeId reader);
  Value find_member(ir::NodeId id);
  Value find_access(std::size_t access);
  Value find_literal(double value, ir::DType dtype, std::string_view meaning = {});
  std::string literal_name(double value, ir::DType dtype, std::string_view meaning);
  Value apply(ir::NodeId id);
  ir::loop::Apply compare_bools(ir::OpKind op, std::string a, std::string b, std::size_t scope);
  std::optional<Value> find(std::pair<Key, std::uint64_t> key);
  Value put(std::pair<Key, std::uint64_t> key, std::size_t scope, std::string name, ir::DType dtype,
            ir::loop::Expr value);
  ir::loop::Place place(const NestAccess& access) const;
  std::optional<std::size_t> input_of(const NestAccess& access) const;  // its buffer; nothing: a source
  std::size_t scope_of(const NestAccess& access) const;

  const ir::Graph& graph_;
  const passes::FusionGroup& group_;
  const Nest& nest_;
  const CodegenOptions& options_;
  int lanes_ = 1;
  std::vector<Scope> scopes_;
  std::map<ir::NodeId, std::pair<std::string, ir::loop::Place>> kept_;
  std::map<std::string, int, std::less<>> counters_;
  std::map<ir::NodeId, std::string> names_;
  std::map<std::pair<Key, std::uint64_t>, std::string> other_names_;
  std::map<std::pair<std::uint64_t, ir::DType>, std::size_t> literals_;
  std::set<std::string, std::less<>> literal_names_;
  std::vector<ir::loop::Buffer> buffers_;
  std::int64_t scratch_bytes_ = 0;
};

}  // namespace foretell::codegen
