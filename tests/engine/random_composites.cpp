// SPDX-License-Identifier: Apache-2.0
// How composite ops find operands and attributes.
#include "tests/engine/graph_builder.hpp"

namespace foretell::tests {

namespace {

using ir::AttrKey;
using ir::OpKind;

bool is_real(const ir::Type& type) { return ir::is_float(type.dtype); }

std::int64_t to_int(std::size_t value) { return static_cast<std::int64_t>(value); }

}  // namespace

GraphBuilder::Node GraphBuilder::composite(OpKind op) {
  if (op == OpKind::RandomNormal) {
    const ir::Shape shape = choose_.of(shapes_);
    return add(op, {},
               {{AttrKey::Shape, ir::Ints(shape.begin(), shape.end())},
                {AttrKey::To, main_type_},
                {AttrKey::Seed, choose_.between(0, 3)},
                {AttrKey::Counter, graph_.fresh_counter()}});
  }
  if (op == OpKind::GroupNorm || op == OpKind::BatchNorm || op == OpKind::UpsampleNearest) {
    return image_composite(op);
  }
  const ir::NodeId x = any_value(
      is_real,
      op == OpKind::CrossEntropy || op == OpKind::Attention || op == OpKind::CrossEntropyGrad ? 2 : 1);
  const ir::DType dtype = type(x).dtype;
  const ir::Shape shape = type(x).shape;
  const std::int64_t last = shape[shape.rank() - 1];
  const auto vector = [&] { return fresh_input({.dtype = dtype, .shape = {last}}); };
  switch (op) {
    case OpKind::Dropout:
      return add(op, {x},
                 {{AttrKey::Probability, choose_.of({0.0, 0.1, 0.5})},
                  {AttrKey::Seed, choose_.between(0, 3)},
                  {AttrKey::Counter, graph_.fresh_counter()}});
    case OpKind::Softmax:
    case OpKind::LogSoftmax: return add(op, {x}, {{AttrKey::Axis, to_int(choose_.below(shape.rank()))}});
    case OpKind::LayerNorm:
      return choose_.one_in(3) ? add(op, {x}) : add(op, {x, vector(), vector()}, {{AttrKey::Epsilon, 1e-3}});
    case OpKind::RmsNorm: return choose_.one_in(3) ? add(op, {x}) : add(op, {x, vector()});
    case OpKind::Gelu: return add(op, {x}, {{AttrKey::Approximate, choose_.one_in(2)}});
    case OpKind::CrossEntropy: {
      if (shape.rank() != 2) {
        return std::nullopt;
      }
      return add(op, {x, fresh_index({shape[0]}, last, ir::DType::I64)});
    }
    case OpKind::Attention: {
      ir::Shape keys = shape;
      keys[shape.rank() - 2] = choose_.between(1, 20);
      const ir::NodeId k = fresh_input({.dtype = dtype, .shape = keys});
      const ir::NodeId v = fresh_input({.dtype = dtype, .shape = keys});
      // Every query sees at least one key, or there is nothing to average.
      const bool causal = keys[shape.rank() - 2] >= shape[shape.rank() - 2] && choose_.one_in(2);
      return add(op, {x, k, v}, {{AttrKey::Causal, causal}});
    }
    case OpKind::Silu: return add(op, {x});
    default: return gradient(op, x);
  }
}

// Of x, or of a result x, with a fresh cotangent.
GraphBuilder::Node GraphBuilder::gradient(OpKind op, ir::NodeId x) {
  const ir::Type of = type(x);
  if (op == OpKind::CrossEntropyGrad) {
    if (of.shape.rank() != 2) {
      return std::nullopt;
    }
    const ir::NodeId target = fresh_index({of.shape[0]}, of.shape[1], ir::DType::I64);
    return add(op, {x, target, fresh_input({.dtype = of.dtype, .shape = {}})});
  }
  const ir::NodeId cotangent = fresh_input(of);
  const std::size_t rank = of.shape.rank();
  switch (op) {
    case OpKind::SoftmaxGrad:
    case OpKind::LogSoftmaxGrad:
      return add(op, {x, cotangent}, {{AttrKey::Axis, to_int(choose_.below(rank))}});
    case OpKind::GeluGrad: return add(op, {x, cotangent}, {{AttrKey::Approximate, choose_.one_in(2)}});
    case OpKind::LayerNormGrad:
    case OpKind::RmsNormGrad:
      if (choose_.one_in(2)) {
        return add(op, {x, cotangent, fresh_input({.dtype = of.dtype, .shape = {of.shape[rank - 1]}})},
                   {{AttrKey::Epsilon, 1e-3}});
      }
      break;
    default: break;
  }
  return add(op, {x, cotangent});
}

}  // namespace foretell::tests
