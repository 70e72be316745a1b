// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "fusion-engine/passes/simplify_rules.hpp"

namespace foretell::passes {
namespace {

using ir::AttrKey;
using ir::Ints;
using ir::Node;
using ir::NodeId;
using ir::OpKind;

bool is_identity(const Ints& permutation) {
  for (std::size_t i = 0; i < permutation.size(); ++i) {
    if (permutation[i] != static_cast<std::int64_t>(i)) {
      return false;
    }
  }
  return true;
}

}  // namespace

Replacement simplify_permute(Simplifier& s, const Node& node) {
  if (node.op != OpKind::Permute) {
    return std::nullopt;
  }
  const NodeId x = node.operands[0];
  const Ints& outer = node.attributes.ints(AttrKey::Permutation);
  if (is_identity(outer)) {
    return x;  // permute(x, [0,1,..]) = x
  }
  if (!s.is(x, OpKind::Permute)) {
    return std::nullopt;
  }
  Ints both;
  for (const std::int64_t axis : outer) {
    both.push_back(s.at(x).attributes.ints(AttrKey::Permutation)[static_cast<std::size_t>(axis)]);
  }
  // permute(permute(x, p), q) = permute(x, p[q])
  return s.make(OpKind::Permute, {s.at(x).operands[0]}, {{AttrKey::Permutation, std::move(both)}});
}

Replacement simplify_reshape(Simplifier& s, const Node& node) {
  if (node.op != OpKind::Reshape) {
    return std::nullopt;
  }
  const NodeId x = node.operands[0];
  if (s.at(x).type.shape == node.type.shape) {
    return x;  // reshape(x) to its own shape = x
  }
  if (s.is(x, OpKind::Reshape)) {
    return s.make(OpKind::Reshape, {s.at(x).operands[0]},
                  node.attributes);  // reshape(reshape(x)) = reshape(x)
  }
  return std::nullopt;
}

Replacement simplify_expand(Simplifier& s, const Node& node) {
  if (node.op != OpKind::Expand) {
    return std::nullopt;
  }
  const NodeId x = node.operands[0];
  if (s.at(x).type.shape == node.type.shape) {
    return x;  // expand(x) to its own shape = x
  }
  if (s.is(x, OpKind::Expand)) {
    return s.make(OpKind::Expand, {s.at(x).operands[0]}, node.attributes);  // expand(expand(x)) = expand(x)
  }
  return std::nullopt;
}

Replacement simplify_slice(Simplifier& s, const Node& node) {
  if (node.op != OpKind::Slice) {
    return std::nullopt;
  }
  const NodeId x = node.operands[0];
  if (s.at(x).type.shape == node.type.shape) {
    return x;  // slice(x) with all elements = x
  }
  if (!s.is(x, OpKind::Slice) || ir::elements(node.type.shape) == 0) {
    return std::nullopt;
  }
  const ir::Attributes& inner = s.at(x).attributes;
  Ints starts;
  Ints limits;
  Ints steps;
  for (std::size_t i = 0; i < node.type.shape.rank(); ++i) {
    const std::int64_t inner_step = inner.ints(AttrKey::Steps)[i];
    const std::int64_t start =
        inner.ints(AttrKey::Starts)[i] + node.attributes.ints(AttrKey::Starts)[i] * inner_step;
    const std::int64_t step = inner_step * node.attributes.ints(AttrKey::Steps)[i];
    starts.push_back(start);
    steps.push_back(step);
    limits.push_back(start + (node.type.shape[i] - 1) * step + 1);
  }
  // slice(slice(x)) = slice(x)
  return s.make(OpKind::Slice, {s.at(x).operands[0]},
                {{AttrKey::Starts, starts}, {AttrKey::Limits, limits}, {AttrKey::Steps, steps}});
}

Replacement simplify_movement(Simplifier& s, const Node& node) {
  switch (node.op) {
    case OpKind::Concat:
      return node.operands.size() == 1 ? Replacement(node.operands[0]) : std::nullopt;  // concat(x) = x
    case OpKind::Pad:
      // pad(x) by nothing = x
      return s.at(node.operands[0]).type == node.type ? Replacement(node.operands[0]) : std::nullopt;
    case OpKind::Amax:
    case OpKind::Amin:
      if (ir::elements(node.type.shape) != 0 &&
          ir::elements(node.type.shape) == ir::elements(s.at(node.operands[0]).type.shape)) {
        // amax(x) over one element = x
        return s.make(OpKind::Reshape, {node.operands[0]},
                      {{AttrKey::Shape, Ints(node.type.shape.begin(), node.type.shape.end())}});
      }
      return std::nullopt;
    default: return std::nullopt;
  }
}

}  // namespace foretell::passes
