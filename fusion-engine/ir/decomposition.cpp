// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/ir/decomposition.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <utility>

namespace foretell::ir {
namespace {

// Adds nodes and remembers the first failure, so that formulas read as formulas. No call has two arguments
// that both add nodes: compilers differ in which they evaluate first, and ids would differ with them.
class Decomposer {
 public:
  Decomposer(Graph& graph, const Node& node, std::span<const NodeId> operands)
      : graph_(graph), node_(node), operands_(operands), wide_(compute_type(float_type())) {}

  Result<NodeId> run() {
    const NodeId result = cast(formula(), node_.type.dtype);
    if (error_.has_value()) {
      return std::unexpected(*std::move(error_));
    }
    return result;
  }

 private:
  NodeId formula();
  NodeId mean();
  NodeId variance();
  NodeId layer_norm();
  NodeId rms_norm();
  NodeId gelu();
  NodeId dropout();
  NodeId random_normal();
  NodeId attention();
  NodeId cross_entropy();
  NodeId softmax(NodeId x, std::int64_t axis);
  NodeId mean_of(NodeId x, Ints axes);

  DType float_type() const {
    return operands_.empty() ? node_.attributes.dtype(AttrKey::To) : graph_.type(operands_[0]).dtype;
  }
  std::int64_t last_axis(NodeId id) const {
    return static_cast<std::int64_t>(graph_.type(id).shape.rank()) - 1;
  }
  std::int64_t extent_from_end(NodeId id, std::size_t i) const {
    const Shape& shape = graph_.type(id).shape;
    return shape[shape.rank() - i];
  }

  NodeId add(OpKind op, std::initializer_list<NodeId> operands, Attributes attributes = {}) {
    if (error_.has_value()) {
      return {};
    }
    Result<NodeId> id = graph_.add(op, operands, std::move(attributes));
    if (!id.has_value()) {
      error_ = std::move(id).error();
      return {};
    }
    return *id;
  }
  NodeId cast(NodeId x, DType to) {
    return error_.has_value() || graph_.type(x).dtype == to ? x : add(OpKind::Cast, {x}, {{AttrKey::To, to}});
  }
  // The operand in the type computed in.
  NodeId wide(std::size_t i) { return cast(operands_[i], wide_); }
  NodeId number(double value) { return graph_.constant(value, wide_); }
  NodeId times(NodeId a, NodeId b) { return add(OpKind::Mul, {a, b}); }
  NodeId times(NodeId a, double b) { return times(a, number(b)); }
  NodeId plus(NodeId a, NodeId b) { return add(OpKind::Add, {a, b}); }
  NodeId minus(NodeId a, NodeId b) { return add(OpKind::Sub, {a, b}); }
  NodeId reduce(OpKind op, NodeId x, Ints axes, bool keep_dims = true) {
    return add(op, {x}, {{AttrKey::Axes, std::move(axes)}, {AttrKey::KeepDims, keep_dims}});
  }
  // x - amax(x): exponentials of it are at most 1.
  NodeId below_largest(NodeId x, std::int64_t axis) { return minus(x, reduce(OpKind::Amax, x, {axis})); }
  NodeId uniform(std::int64_t seed, const Shape& shape) {
    return add(OpKind::RandomUniform, {},
               {{AttrKey::Shape, Ints(shape.begin(), shape.end())},
                {AttrKey::To, wide_},
                {AttrKey::Seed, seed},
                {AttrKey::Counter, node_.attributes.integer(AttrKey::Counter)}});
  }
  NodeId iota(Ints shape, std::int64_t axis, DType to) {
    return add(OpKind::Iota, {},
               {{AttrKey::Shape, std::move(shape)}, {AttrKey::Axis, axis}, {AttrKey::To, to}});
  }

  Graph& graph_;
  const Node& node_;
  std::span<const NodeId> operands_;
  DType wide_;
  std::optional<Error> error_;
};

// Of the elements that one result element is the reduction of.
double count_of(const Shape& shape, const Ints& axes) {
  double count = 1;
  for (const std::int64_t axis : axes) {
    count *= static_cast<double>(shape[static_cast<std::size_t>(axis)]);
  }
  return count;
}

DType counting_type(std::int64_t count) {
  return count <= std::numeric_limits<std::int32_t>::max() ? DType::I32 : DType::I64;
}

NodeId Decomposer::formula() {
  switch (node_.op) {
    case OpKind::Mean: return mean();
    case OpKind::Var: return variance();
    case OpKind::Softmax: return softmax(wide(0), node_.attributes.integer(AttrKey::Axis));
    case OpKind::LogSoftmax: {
      const std::int64_t axis = node_.attributes.integer(AttrKey::Axis);
      const NodeId below = below_largest(wide(0), axis);
      return minus(below, add(OpKind::Log, {reduce(OpKind::Sum, add(OpKind::Exp, {below}), {axis})}));
    }
    case OpKind::LayerNorm: return layer_norm();
    case OpKind::RmsNorm: return rms_norm();
    case OpKind::Gelu: return gelu();
    case OpKind::Silu: return times(wide(0), add(OpKind::Sigmoid, {wide(0)}));
    case OpKind::Dropout: return dropout();
    case OpKind::RandomNormal: return random_normal();
    case OpKind::Attention: return attention();
    case OpKind::CrossEntropy: return cross_entropy();
    default:
      error_ = Error{.code = ErrorCode::BadInput,
                     .where = {},
                     .message = fmt::format("{}: has no decomposition", to_string(node_.op)),
                     .hint = {}};
      return {};
  }
}

NodeId Decomposer::mean_of(NodeId x, Ints axes) {
  const double count = count_of(graph_.type(x).shape, axes);
  return times(reduce(OpKind::Sum, x, std::move(axes)), 1 / count);
}

NodeId Decomposer::mean() {
  const Ints& axes = node_.attributes.ints(AttrKey::Axes);
  const double count = count_of(graph_.type(operands_[0]).shape, axes);
  return times(reduce(OpKind::Sum, wide(0), axes, node_.attributes.flag(AttrKey::KeepDims)), 1 / count);
}

NodeId Decomposer::variance() {
  const NodeId x = wide(0);
  const Ints& axes = node_.attributes.ints(AttrKey::Axes);
  const double count = count_of(graph_.type(x).shape, axes);
  const auto correction = static_cast<double>(node_.attributes.integer(AttrKey::Correction));
  const NodeId squares = add(OpKind::Square, {minus(x, mean_of(x, axes))});
  return times(reduce(OpKind::Sum, squares, axes, node_.attributes.flag(AttrKey::KeepDims)),
               1 / (count - correction));
}

NodeId Decomposer::softmax(NodeId x, std::int64_t axis) {
  const NodeId exponential = add(OpKind::Exp, {below_largest(x, axis)});
  return add(OpKind::Div, {exponential, reduce(OpKind::Sum, exponential, {axis})});
}

NodeId Decomposer::layer_norm() {
  const NodeId x = wide(0);
  const std::int64_t axis = last_axis(x);
  const NodeId centered = minus(x, mean_of(x, {axis}));
  const NodeId variance = mean_of(add(OpKind::Square, {centered}), {axis});
  const NodeId scale = add(OpKind::Rsqrt, {plus(variance, number(node_.attributes.real(AttrKey::Epsilon)))});
  NodeId result = times(centered, scale);
  result = operands_.size() > 1 ? times(result, wide(1)) : result;
  return operands_.size() > 2 ? plus(result, wide(2)) : result;
}

NodeId Decomposer::rms_norm() {
  const NodeId x = wide(0);
  const NodeId power = mean_of(add(OpKind::Square, {x}), {last_axis(x)});
  const NodeId scale = add(OpKind::Rsqrt, {plus(power, number(node_.attributes.real(AttrKey::Epsilon)))});
  const NodeId result = times(x, scale);
  return operands_.size() > 1 ? times(result, wide(1)) : result;
}

NodeId Decomposer::gelu() {
  const NodeId x = wide(0);
  NodeId share{};  // of x that passes, times 2, minus 1
  if (node_.attributes.flag(AttrKey::Approximate)) {
    const NodeId cube = times(add(OpKind::Square, {x}), x);
    const NodeId inner = plus(x, times(cube, 0.044715));
    share = add(OpKind::Tanh, {times(inner, std::numbers::sqrt2 * std::numbers::inv_sqrtpi)});
  } else {
    share = add(OpKind::Erf, {times(x, 1 / std::numbers::sqrt2)});
  }
  const NodeId half = times(x, 0.5);
  return times(half, plus(share, number(1)));
}

NodeId Decomposer::dropout() {
  const double probability = node_.attributes.real(AttrKey::Probability);
  const NodeId random = uniform(node_.attributes.integer(AttrKey::Seed), node_.type.shape);
  const NodeId keeps = add(OpKind::Ge, {random, number(probability)});
  return add(OpKind::Where, {keeps, times(wide(0), 1 / (1 - probability)), number(0)});
}

NodeId Decomposer::random_normal() {
  // The golden ratio in 64 bits, as in SplitMix64: a stream of its own for the second number.
  constexpr std::uint64_t kSecondStream = 0x9E3779B97F4A7C15U;
  const std::int64_t seed = node_.attributes.integer(AttrKey::Seed);
  const NodeId u1 = uniform(seed, node_.type.shape);
  const NodeId u2 =
      uniform(static_cast<std::int64_t>(static_cast<std::uint64_t>(seed) ^ kSecondStream), node_.type.shape);
  const NodeId radius = add(OpKind::Sqrt, {times(add(OpKind::Log, {minus(number(1), u1)}), -2)});
  return times(radius, add(OpKind::Cos, {times(u2, 2 * std::numbers::pi)}));
}

NodeId Decomposer::attention() {
  const std::int64_t queries = extent_from_end(operands_[0], 2);
  const std::int64_t keys = extent_from_end(operands_[1], 2);
  const double given = node_.attributes.real(AttrKey::Scale);
  const double scale =
      given != 0 ? given : 1 / std::sqrt(static_cast<double>(extent_from_end(operands_[0], 1)));
  NodeId scores = times(add(OpKind::Matmul, {wide(0), wide(1)}, {{AttrKey::TransposeB, true}}), scale);
  if (operands_.size() > 3) {
    scores = plus(scores, wide(3));
  }
  if (node_.attributes.flag(AttrKey::Causal)) {
    const DType counts = counting_type(keys);
    NodeId last_seen = iota({queries, 1}, 0, counts);
    if (keys != queries) {
      last_seen = plus(last_seen, graph_.constant(static_cast<double>(keys - queries), counts));
    }
    const NodeId seen = add(OpKind::Le, {iota({1, keys}, 1, counts), last_seen});
    scores = add(OpKind::Where, {seen, scores, number(-std::numeric_limits<double>::infinity())});
  }
  const std::int64_t axis = error_.has_value() ? 0 : last_axis(scores);
  return add(OpKind::Matmul, {softmax(scores, axis), wide(2)});
}

NodeId Decomposer::cross_entropy() {
  const std::int64_t rows = extent_from_end(operands_[0], 2);
  const std::int64_t classes = extent_from_end(operands_[0], 1);
  const NodeId below = below_largest(wide(0), 1);
  const NodeId log_sum = add(OpKind::Log, {reduce(OpKind::Sum, add(OpKind::Exp, {below}), {1})});
  NodeId target = operands_[1];
  if (counting_type(classes) == DType::I64) {
    target = cast(target, DType::I64);
  }
  const NodeId column = add(OpKind::Reshape, {target}, {{AttrKey::Shape, Ints{rows, 1}}});
  const NodeId hit = add(OpKind::Eq, {iota({1, classes}, 1, graph_.type(target).dtype), column});
  const NodeId picked = reduce(OpKind::Sum, add(OpKind::Where, {hit, below, number(0)}), {1});
  return times(reduce(OpKind::Sum, minus(log_sum, picked), {0, 1}, false), 1 / static_cast<double>(rows));
}

}  // namespace

bool has_decomposition(OpKind op) {
  return category(op) == Category::Composite || op == OpKind::Mean || op == OpKind::Var;
}

Result<NodeId> decompose_node(Graph& into, const Node& node, std::span<const NodeId> operands) {
  return Decomposer(into, node, operands).run();
}

}  // namespace foretell::ir
