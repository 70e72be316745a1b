// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/codegen/lower_emitter.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "fusion-engine/passes/iteration_space.hpp"

namespace foretell::codegen {
namespace {

namespace loop = ir::loop;
using ir::AttrKey;
using ir::Category;
using ir::DType;
using ir::NodeId;
using ir::OpKind;

// Constants may be seen through views (expand).
const ir::Node& behind_views(const ir::Graph& graph, NodeId id) {
  const ir::Node* node = &graph.node(id);
  while (ir::category(node->op) == Category::View) {
    node = &graph.node(node->operands[0]);
  }
  return *node;
}

bool is_narrow(DType dtype) { return dtype == DType::BF16 || dtype == DType::F16; }

// A cast that leaves the value in its register as it is.
bool keeps_value(DType from, DType to) {
  return from == to || (ir::compute_type(from) == ir::compute_type(to) && !is_narrow(to));
}

}  // namespace

Emitter::Emitter(const ir::Graph& graph, const passes::FusionGroup& group, const Nest& nest,
                 const CodegenOptions& options)
    : graph_(graph), group_(group), nest_(nest), options_(options) {
  std::size_t widest = 4;  // no vectors of less than 4 bytes: bool is a mask of i32
  const auto widen = [&](NodeId id) {
    widest = std::max(widest, ir::size_bytes(ir::compute_type(graph.type(id).dtype)));
  };
  for (const NodeId id : group.nodes) {
    widen(id);
    std::ranges::for_each(graph.node(id).operands, widen);
  }
  lanes_ = options.vector_bytes / static_cast<int>(widest);
  for (std::size_t i = 0; i < group.inputs.size(); ++i) {
    buffers_.push_back({.name = fmt::format("in{}", i),
                        .dtype = graph.type(group.inputs[i].value).dtype,
                        .role = loop::Buffer::Role::Input});
  }
  for (std::size_t i = 0; i < group.outputs.size(); ++i) {
    buffers_.push_back({.name = fmt::format("out{}", i),
                        .dtype = graph.type(group.outputs[i]).dtype,
                        .role = loop::Buffer::Role::Output});
  }
}

void Emitter::open(const std::vector<std::size_t>& dims) {
  Scope scope;
  scope.known = scopes_.empty() ? std::vector<bool>(nest_.dims.size(), false) : scopes_.back().known;
  for (const std::size_t dim : dims) {
    scope.known[dim] = true;
  }
  scopes_.push_back(std::move(scope));
}

std::vector<loop::Statement> Emitter::close() {
  std::vector<loop::Statement> body = std::move(scopes_.back().body);
  scopes_.pop_back();
  return body;
}

void Emitter::append_loop(const NestDim& dim, bool of_unit, loop::For::Kind kind, int copies) {
  std::vector<loop::Statement> body = close();
  if (body.empty()) {
    return;  // all its values are outside
  }
  append({loop::For{.index = dim.name,
                    .extent = dim.extent,
                    .of_unit = of_unit,
                    .kind = kind,
                    .copies = copies,
                    .body = std::move(body)}});
}

void Emitter::append_tile_loop(std::int64_t tile) {
  const NestDim& dim = nest_.dims[vector_dim()];
  append_loop(dim, tile < dim.extent, loop::For::Kind::Vector, 1);
}

std::string Emitter::fresh(std::string_view prefix) {
  auto it = counters_.find(prefix);
  if (it == counters_.end()) {
    it = counters_.emplace(std::string(prefix), 0).first;
  }
  return fmt::format("{}{}", prefix, it->second++);
}

std::string Emitter::name_of(NodeId id) {
  const auto it = names_.find(id);
  return it != names_.end() ? it->second : names_[id] = fresh(ir::to_string(graph_.node(id).op));
}

std::string Emitter::let(std::string_view prefix, DType dtype, loop::Expr value) {
  std::string name = fresh(prefix);
  append({loop::Let{.name = name, .dtype = dtype, .value = std::move(value)}});
  return name;
}

void Emitter::bind(NodeId id, std::string name) {
  scopes_.back().values[{Key::Node, ir::index(id)}] = std::move(name);
}

std::optional<Emitter::Value> Emitter::find(std::pair<Key, std::uint64_t> key) {
  for (std::size_t i = 0; i < scopes_.size(); ++i) {
    const auto it = scopes_[i].values.find(key);
    if (it != scopes_[i].values.end()) {
      return Value{.name = it->second, .scope = i};
    }
  }
  return std::nullopt;
}

Emitter::Value Emitter::put(std::pair<Key, std::uint64_t> key, std::size_t scope, std::string name,
                            DType dtype, loop::Expr value) {
  scopes_[scope].body.push_back({loop::Let{.name = name, .dtype = dtype, .value = std::move(value)}});
  scopes_[scope].values[key] = name;
  return {.name = std::move(name), .scope = scope};
}

Emitter::Value Emitter::find_read(NodeId operand, NodeId reader) {
  const ir::Node& base = behind_views(graph_, operand);
  if (base.op == OpKind::Constant) {
    return find_literal(base.attributes.real(AttrKey::Value), ir::compute_type(base.type.dtype));
  }
  const auto access = nest_.reads.find({operand, reader});
  return access != nest_.reads.end() ? find_access(access->second) : find_member(operand);
}

Emitter::Value Emitter::find_member(NodeId id) {
  const std::pair key{Key::Node, std::uint64_t{ir::index(id)}};
  if (const auto value = find(key)) {
    return *value;
  }
  const DType dtype = ir::compute_type(graph_.type(id).dtype);
  if (const auto kept = kept_.find(id); kept != kept_.end()) {
    const auto& [buffer, at] = kept->second;
    return put(key, scopes_.size() - 1, name_of(id), dtype, loop::Load{.buffer = buffer, .at = at});
  }
  if (passes::is_cheap_source(graph_.node(id))) {
    return find_access(nest_.reads.at({id, id}));
  }
  return apply(id);
}

Emitter::Value Emitter::apply(NodeId id) {
  const ir::Node& node = graph_.node(id);
  FORETELL_CHECK(ir::category(node.op) == Category::Elementwise || node.op == OpKind::Cast);
  std::vector<std::string> args;
  std::size_t scope = 0;
  for (const NodeId operand : node.operands) {
    const Value value = find_read(operand, id);
    args.push_back(value.name);
    scope = std::max(scope, value.scope);
  }
  const DType dtype = ir::compute_type(node.type.dtype);
  const std::pair key{Key::Node, std::uint64_t{ir::index(id)}};
  if (ir::info(node.op).types == ir::TypeRule::Compare &&
      graph_.type(node.operands[0]).dtype == DType::Bool) {
    return put(key, scope, name_of(id), dtype, compare_bools(node.op, args[0], args[1], scope));
  }
  if (node.op != OpKind::Cast) {
    return put(key, scope, name_of(id), dtype, loop::Apply{.op = node.op, .args = std::move(args)});
  }
  const DType from = graph_.type(node.operands[0]).dtype;
  if (keeps_value(from, node.type.dtype)) {
    return {.name = args[0], .scope = scope};
  }
  return put(key, scope, name_of(id), dtype,
             loop::Convert{.arg = args[0], .from = from, .to = node.type.dtype});
}

// False is less than true.
loop::Apply Emitter::compare_bools(OpKind op, std::string a, std::string b, std::size_t scope) {
  if (op == OpKind::Gt || op == OpKind::Ge) {
    std::swap(a, b);
  }
  const bool less = op == OpKind::Lt || op == OpKind::Gt;
  const bool less_or_equal = op == OpKind::Le || op == OpKind::Ge;
  if (less || less_or_equal || op == OpKind::Eq) {
    std::string negated = fresh("not");
    scopes_[scope].body.push_back(
        {loop::Let{.name = negated,
                   .dtype = DType::Bool,
                   .value = loop::Apply{.op = OpKind::Not, .args = {std::move(a)}}}});
    a = std::move(negated);
  }
  const OpKind logical = less ? OpKind::And : less_or_equal ? OpKind::Or : OpKind::Xor;  // Eq, Ne: Xor
  return {.op = logical, .args = {std::move(a), std::move(b)}};
}

loop::Place Emitter::place(const NestAccess& access) const {
  loop::Place at{.offset = access.offset, .terms = {}, .lane_stride = access.strides[vector_dim()]};
  for (std::size_t dim = 0; dim < access.strides.size(); ++dim) {
    if (access.strides[dim] != 0) {
      at.terms.push_back({.index = nest_.dims[dim].name, .stride = access.strides[dim]});
    }
  }
  return at;
}

std::size_t Emitter::scope_of(const NestAccess& access) const {
  for (std::size_t i = 0; i < scopes_.size(); ++i) {
    bool known = true;
    for (std::size_t dim = 0; dim < access.strides.size(); ++dim) {
      known = known && (access.strides[dim] == 0 || scopes_[i].known[dim]);
    }
    if (known) {
      return i;
    }
  }
  FORETELL_CHECK(false);  // the innermost scope knows every dimension that is read there
}

Emitter::Value Emitter::find_access(std::size_t number) {
  const std::pair key{Key::Access, std::uint64_t{number}};
  if (const auto value = find(key)) {
    return *value;
  }
  const NestAccess& access = nest_.accesses[number];
  const ir::Node& node = graph_.node(access.value);
  const DType dtype = ir::compute_type(node.type.dtype);
  const std::size_t scope = scope_of(access);
  std::string& name = other_names_[key];
  if (const auto input = input_of(access)) {
    if (name.empty()) {
      const std::string first = fmt::format("x{}", *input);
      const int seen = counters_[first]++;
      name = seen == 0 ? first : fmt::format("{}_{}", first, seen);
    }
    return put(key, scope, name, dtype, loop::Load{.buffer = buffers_[*input].name, .at = place(access)});
  }
  if (name.empty()) {
    name = fresh(ir::to_string(node.op));
  }
  loop::Expr source = loop::Index{.at = place(access)};
  if (node.op == OpKind::RandomUniform) {
    source = loop::Random{.seed = node.attributes.integer(AttrKey::Seed),
                          .counter = node.attributes.integer(AttrKey::Counter),
                          .at = place(access)};
  }
  if (!is_narrow(node.type.dtype)) {
    return put(key, scope, name, dtype, std::move(source));
  }
  const std::string exact = name + "_exact";
  scopes_[scope].body.push_back({loop::Let{.name = exact, .dtype = dtype, .value = std::move(source)}});
  return put(key, scope, name, dtype, loop::Convert{.arg = exact, .from = dtype, .to = node.type.dtype});
}

}  // namespace foretell::codegen
