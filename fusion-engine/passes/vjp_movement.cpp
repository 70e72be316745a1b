// SPDX-License-Identifier: Apache-2.0
// Views and movement: the cotangent goes back the way the elements came.
#include "fusion-engine/passes/vjp.hpp"

namespace foretell::passes {
namespace {

using ir::AttrKey;
using ir::Ints;
using ir::Term;
using enum ir::OpKind;

std::size_t axis_of(const Vjp& it) {
  return static_cast<std::size_t>(it.attributes().integer(AttrKey::Axis));
}

Term zeros_like(Term x) { return ir::filled(*x.formula, 0, ir::Type(x.type())); }

// 0, 1, ...
Term numbers_below(ir::Formula& formula, std::int64_t count) {
  return formula.add(
      Iota, {},
      {{AttrKey::Shape, Ints{count}}, {AttrKey::Axis, std::int64_t{0}}, {AttrKey::To, ir::DType::I64}});
}

Term permute_vjp(const Vjp& it) {
  const Ints& permutation = it.attributes().ints(AttrKey::Permutation);
  Ints inverse(permutation.size());
  for (std::size_t i = 0; i < permutation.size(); ++i) {
    inverse[static_cast<std::size_t>(permutation[i])] = static_cast<std::int64_t>(i);
  }
  return apply(Permute, it.dy, {{AttrKey::Permutation, inverse}});
}

Term reshape_vjp(const Vjp& it) { return reshape(it.dy, ir::Shape(it.a.shape())); }

Term expand_vjp(const Vjp& it) { return sum_to(it.dy, ir::Shape(it.a.shape())); }

// Element i of the cotangent's axis to start + step i of an axis of this extent.
Term scatter_steps(Term dy, std::size_t axis, std::int64_t start, std::int64_t step, std::int64_t extent) {
  ir::Type type = dy.type();
  ir::Formula& formula = *dy.formula;
  const Term number = numbers_below(formula, type.shape[axis]);
  type.shape[axis] = extent;
  const Term at = number * static_cast<double>(step) + static_cast<double>(start);
  return apply(ScatterAdd, {filled(formula, 0, type), at, dy},
               {{AttrKey::Axis, static_cast<std::int64_t>(axis)}});
}

Term slice_vjp(const Vjp& it) {
  const ir::Shape shape = it.a.shape();
  const ir::Shape sliced = it.y.shape();
  const Ints& starts = it.attributes().ints(AttrKey::Starts);
  const Ints& steps = it.attributes().ints(AttrKey::Steps);
  Ints before(shape.rank(), 0);
  Ints after(shape.rank(), 0);
  for (std::size_t i = 0; i < shape.rank(); ++i) {
    if (steps[i] == 1) {
      before[i] = starts[i];
      after[i] = shape[i] - starts[i] - sliced[i];
    }
  }
  const bool is_padded = before != Ints(shape.rank(), 0) || after != Ints(shape.rank(), 0);
  Term given = is_padded ? apply(Pad, it.dy, {{AttrKey::Before, before}, {AttrKey::After, after}}) : it.dy;
  for (std::size_t i = 0; i < shape.rank(); ++i) {
    if (steps[i] != 1) {
      given = scatter_steps(given, i, starts[i], steps[i], shape[i]);
    }
  }
  return given;
}

// The part of the cotangent with `shape` that begins at `starts`.
Term part(Term dy, const Ints& starts, const ir::Shape& shape) {
  Ints limits = starts;
  for (std::size_t i = 0; i < shape.rank(); ++i) {
    limits[i] += shape[i];
  }
  return dy.shape() == shape ? dy : apply(Slice, dy, {{AttrKey::Starts, starts}, {AttrKey::Limits, limits}});
}

Term concat_vjp(const Vjp& it) {
  const std::size_t axis = axis_of(it);
  Ints starts(it.dy.shape().rank(), 0);
  for (std::size_t i = 0; i < it.operand; ++i) {
    starts[axis] += it.at(i).shape()[axis];
  }
  return part(it.dy, starts, ir::Shape(it.at(it.operand).shape()));
}

Term pad_vjp(const Vjp& it) {
  return part(it.dy, it.attributes().ints(AttrKey::Before), ir::Shape(it.a.shape()));
}

Term gather_vjp(const Vjp& it) { return apply(ScatterAdd, {zeros_like(it.a), it.b, it.dy}, it.attributes()); }

Term scatter_updates_vjp(const Vjp& it) { return apply(Gather, {it.dy, it.b}, it.attributes()); }

Term index_copy_vjp(const Vjp& it) {
  return apply(IndexCopy, {it.dy, it.b, zeros_like(it.c)}, it.attributes());
}

// Of several updates to one place only the last one is there.
Term index_copy_updates_vjp(const Vjp& it) {
  ir::Formula& formula = it.formula;
  const ir::Shape index = it.b.shape();
  const Term number = numbers_below(formula, ir::elements(index));
  const Term at = reshape(it.b, {ir::elements(index)});
  const ir::Attributes along_first{{AttrKey::Axis, std::int64_t{0}}};
  const Term places = filled(formula, 0, {.dtype = number.dtype(), .shape = {it.a.shape()[axis_of(it)]}});
  const Term last = apply(Gather, {apply(IndexCopy, {places, at, number}, along_first), at}, along_first);
  ir::Shape broadcast = index;
  for (std::size_t i = axis_of(it) + 1; i < it.a.shape().rank(); ++i) {
    broadcast.push_back(1);
  }
  const Term is_last = reshape(apply(Eq, {last, number}), broadcast);
  const Term given = apply(Gather, {it.dy, it.b}, it.attributes());
  return select(is_last, given, formula.constant(0, given.dtype()));
}

constexpr VjpRow kRows[]{
    {Permute, {permute_vjp}},
    {Reshape, {reshape_vjp}},
    {Slice, {slice_vjp}},
    {Expand, {expand_vjp}},
    {Concat, {concat_vjp}},
    {Pad, {pad_vjp}},
    {Gather, {gather_vjp}},
    {HostRead, {[](const Vjp& it) { return it.dy; }}},
    {ScatterAdd, {[](const Vjp& it) { return it.dy; }, nullptr, scatter_updates_vjp}},
    {IndexCopy, {index_copy_vjp, nullptr, index_copy_updates_vjp}},
};

}  // namespace

std::span<const VjpRow> movement_vjps() { return kRows; }

}  // namespace foretell::passes
