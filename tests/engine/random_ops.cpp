// SPDX-License-Identifier: Apache-2.0
// How each category of ops finds operands and attributes.
#include <algorithm>

#include "tests/engine/graph_builder.hpp"

namespace foretell::tests {

namespace {

using ir::AttrKey;
using ir::OpKind;

bool is_any(const ir::Type& /*type*/) { return true; }
bool is_numeric(const ir::Type& type) { return type.dtype != ir::DType::Bool; }
bool is_real(const ir::Type& type) { return ir::is_float(type.dtype); }
bool is_bool(const ir::Type& type) { return type.dtype == ir::DType::Bool; }

std::int64_t to_int(std::size_t value) { return static_cast<std::int64_t>(value); }

ir::Ints to_ints(const ir::Shape& shape) { return {shape.begin(), shape.end()}; }

}  // namespace

// Around 0.5 and above: for logarithms, roots and divisors.
ir::NodeId GraphBuilder::positive(ir::NodeId value) {
  const Node size = add(OpKind::Abs, {value});
  const Node shifted = size ? add(OpKind::Add, {*size, graph_.constant(0.5, type(value).dtype)}) : size;
  return shifted.value_or(value);
}

GraphBuilder::Node GraphBuilder::elementwise(OpKind op) {
  const ir::OpInfo& row = ir::info(op);
  if (row.types == ir::TypeRule::Select) {
    const ir::NodeId a = any_value(is_any);
    const ir::NodeId b = partner(a);
    ir::NodeId condition = any_value(is_bool);
    if (!ir::broadcast(type(condition).shape, type(a).shape).has_value()) {
      condition = fresh_input({.dtype = ir::DType::Bool, .shape = type(a).shape});
    }
    return add(op, {condition, a, b});
  }
  auto fits = is_numeric;
  if (row.types == ir::TypeRule::Float) {
    fits = is_real;
  } else if (row.types == ir::TypeRule::Logical) {
    fits = is_bool;
  } else if (row.types == ir::TypeRule::Compare) {
    fits = is_any;
  }
  ir::NodeId a = any_value(fits);
  const bool wants_positive = op == OpKind::Sqrt || op == OpKind::Rsqrt || op == OpKind::Log ||
                              op == OpKind::Pow || op == OpKind::Reciprocal || op == OpKind::Log1p;
  if (wants_positive && !choose_.one_in(5)) {
    a = positive(a);
  }
  if (row.max_arity == 1) {
    return add(op, {a});
  }
  ir::NodeId b = partner(a);
  if (op == OpKind::Div && is_real(type(b)) && !choose_.one_in(5)) {
    b = positive(b);
  }
  if (row.max_arity == 2) {
    return choose_.one_in(3) ? add(op, {b, wants_positive || op == OpKind::Div ? b : a}) : add(op, {a, b});
  }
  return add(op, {a, b, partner(a)});
}

GraphBuilder::Node GraphBuilder::cast() {
  const ir::NodeId x = any_value(is_any);
  using enum ir::DType;
  return add(OpKind::Cast, {x},
             {{AttrKey::To, choose_.of({F32, F32, F64, BF16, F16, I32, I64, Bool, main_type_})}});
}

GraphBuilder::Node GraphBuilder::source(OpKind op) {
  const ir::Shape shape = choose_.of(shapes_);
  if (op == OpKind::Iota && shape.rank() > 0) {
    using enum ir::DType;
    return add(op, {},
               {{AttrKey::Shape, to_ints(shape)},
                {AttrKey::Axis, to_int(choose_.below(shape.rank()))},
                {AttrKey::To, choose_.of({main_type_, F32, I32, I64})}});
  }
  if (op == OpKind::RandomUniform) {
    return add(op, {},
               {{AttrKey::Shape, to_ints(shape)},
                {AttrKey::To, main_type_},
                {AttrKey::Seed, choose_.between(0, 3)},
                {AttrKey::Counter, graph_.fresh_counter()}});
  }
  return std::nullopt;  // inputs and constants come with the ops that need them
}

GraphBuilder::Node GraphBuilder::reduction(OpKind op) {
  const ir::NodeId x = any_value(op == OpKind::Mean || op == OpKind::Var ? is_real : is_numeric, 1);
  const std::size_t rank = type(x).shape.rank();
  const bool keep = !choose_.one_in(3);
  if (op == OpKind::Argmax) {
    return add(op, {x}, {{AttrKey::Axis, to_int(choose_.below(rank))}, {AttrKey::KeepDims, keep}});
  }
  ir::Ints axes;
  for (std::size_t i = 0; i < rank; ++i) {
    if (choose_.one_in(2)) {
      axes.push_back(to_int(i));
    }
  }
  if (axes.empty()) {
    axes.push_back(to_int(rank) - 1);
  }
  ir::Attributes attributes{{AttrKey::Axes, axes}, {AttrKey::KeepDims, keep}};
  if (op == OpKind::Var) {
    attributes.set(AttrKey::Correction, choose_.between(0, 1));
  }
  return add(op, {x}, attributes);
}

GraphBuilder::Node GraphBuilder::matmul() {
  const ir::NodeId a = any_value(is_real, 2);
  const ir::Shape& shape = type(a).shape;
  const bool transpose_a = choose_.one_in(3);
  const bool transpose_b = choose_.one_in(3);
  const std::int64_t depth = shape[shape.rank() - (transpose_a ? 2 : 1)];
  const std::int64_t columns = choose_.of<std::int64_t>({1, 2, 3, 8, 17, 32});
  ir::Shape other;
  const bool has_batch = shape.rank() > 2 && choose_.one_in(2);
  for (std::size_t i = 0; has_batch && i + 2 < shape.rank(); ++i) {
    other.push_back(choose_.one_in(3) ? 1 : shape[i]);
  }
  other.push_back(transpose_b ? columns : depth);
  other.push_back(transpose_b ? depth : columns);
  const ir::NodeId b = fresh_input({.dtype = type(a).dtype, .shape = other});
  return add(OpKind::Matmul, {a, b},
             {{AttrKey::TransposeA, transpose_a}, {AttrKey::TransposeB, transpose_b}});
}

ir::Attributes GraphBuilder::slice_of(const ir::Shape& shape) {
  ir::Ints starts;
  ir::Ints limits;
  ir::Ints steps;
  for (const std::int64_t extent : shape) {
    const bool whole = choose_.one_in(2);
    const std::int64_t start = whole ? 0 : choose_.between(0, extent - 1);
    starts.push_back(start);
    limits.push_back(whole ? extent : choose_.between(start + 1, extent));
    steps.push_back(choose_.one_in(3) ? choose_.between(1, 3) : 1);
  }
  return {{AttrKey::Starts, starts}, {AttrKey::Limits, limits}, {AttrKey::Steps, steps}};
}

// Merges two neighbours, splits an axis, or flattens.
GraphBuilder::Node GraphBuilder::reshape(ir::NodeId x) {
  const ir::Ints old = to_ints(type(x).shape);
  ir::Ints shape;
  const std::size_t at = old.empty() ? 0 : choose_.below(old.size());
  const std::size_t kind = choose_.below(4);
  for (std::size_t i = 0; i < old.size(); ++i) {
    if (kind == 0 && i == at && i + 1 < old.size()) {
      shape.push_back(old[i] * old[i + 1]);
      ++i;
    } else if (kind == 1 && i == at && old.size() < ir::kMaxRank) {
      const std::int64_t factor = old[i] % 4 == 0 ? 4 : (old[i] % 3 == 0 ? 3 : 1);
      shape.push_back(old[i] / factor);
      shape.push_back(factor);
    } else {
      shape.push_back(old[i]);
    }
  }
  return add(OpKind::Reshape, {x}, {{AttrKey::Shape, kind == 3 ? ir::Ints{-1} : shape}});
}

GraphBuilder::Node GraphBuilder::view(OpKind op) {
  const ir::NodeId x = any_value(is_any, op == OpKind::Expand ? 0 : 1);
  const ir::Shape shape = type(x).shape;
  switch (op) {
    case OpKind::Permute: {
      ir::Ints axes;
      for (std::size_t i = 0; i < shape.rank(); ++i) {
        axes.insert(axes.begin() + choose_.between(0, to_int(axes.size())), to_int(i));
      }
      return add(op, {x}, {{AttrKey::Permutation, axes}});
    }
    case OpKind::Slice: return add(op, {x}, slice_of(shape));
    case OpKind::Reshape: return reshape(x);
    default: {
      ir::Ints wanted;
      if (shape.rank() < 4 && choose_.one_in(2)) {
        wanted.push_back(choose_.between(1, 5));
      }
      for (const std::int64_t extent : shape) {
        wanted.push_back(extent == 1 ? choose_.of<std::int64_t>({1, 3, 8, 17}) : extent);
      }
      return add(op, {x}, {{AttrKey::Shape, wanted}});
    }
  }
}

GraphBuilder::Node GraphBuilder::movement(OpKind op) {
  const ir::NodeId x = any_value(op == OpKind::ScatterAdd ? is_numeric : is_any, 1);
  const ir::Type of = type(x);
  const std::size_t axis = choose_.below(of.shape.rank());
  const ir::Attributes along{{AttrKey::Axis, to_int(axis)}};
  switch (op) {
    case OpKind::Concat: {
      ir::Shape other = of.shape;
      other[axis] = choose_.between(1, 9);
      const ir::NodeId y = choose_.one_in(3) ? x : fresh_input({.dtype = of.dtype, .shape = other});
      return choose_.one_in(3) ? add(op, {y, x, x}, along) : add(op, {x, y}, along);
    }
    case OpKind::Pad: {
      ir::Ints before;
      ir::Ints after;
      for (std::size_t i = 0; i < of.shape.rank(); ++i) {
        before.push_back(choose_.between(0, 2));
        after.push_back(choose_.one_in(2) ? 0 : choose_.between(0, 3));
      }
      const double fill = choose_.of({0.0, 0.0, 1.0});
      return add(op, {x}, {{AttrKey::Before, before}, {AttrKey::After, after}, {AttrKey::Value, fill}});
    }
    case OpKind::HostRead: return add(op, {x});
    default: break;
  }
  const ir::NodeId indices =
      fresh_index({choose_.between(1, 12)}, of.shape[axis], choose_.of({ir::DType::I32, ir::DType::I64}));
  if (op == OpKind::Gather) {
    return add(op, {x, indices}, along);
  }
  ir::Shape updates = of.shape;
  updates[axis] = type(indices).shape[0];
  return add(op, {x, indices, fresh_input({.dtype = of.dtype, .shape = updates})}, along);
}

}  // namespace foretell::tests
