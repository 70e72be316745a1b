// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/graph_builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "fusion-engine/interp/error_model.hpp"
#include "fusion-engine/interp/evaluate_node.hpp"
#include "tests/engine/random_graph.hpp"

namespace foretell::tests {

namespace {

constexpr interp::EvaluateOptions kWithBounds{.bounds = true};

// A sixth of f16's largest number, so that sums and products by small numbers stay below it. What overflows
// all the same, squares and exponentials above all, is refused by its own value.
constexpr double kLargestValue = 1e4;
// A bound this large relative to max(1, |value|) hides any fault.
constexpr double kLoosestBound = 0.1;
// Share of the elements that may be undetermined.
constexpr double kUndeterminedShare = 0.2;

ir::HostTensor contents_of(const ir::Graph& graph, ir::NodeId input, std::uint64_t seed) {
  ir::Graph alone;
  const ir::Node& node = graph.node(input);
  FORETELL_CHECK(alone.input(node.attributes.text(ir::AttrKey::Name), node.type).has_value());
  return inputs_for(alone, seed)[0];
}

}  // namespace

GraphBuilder::GraphBuilder(std::uint64_t seed, std::uint64_t contents_seed)
    : choose_(seed),
      contents_seed_(contents_seed),
      graph_(fmt::format("random_{}", seed)),
      main_type_(ir::DType::F32) {
  using enum ir::DType;
  main_type_ = choose_.of({F32, F32, F32, F32, F64, F64, BF16, BF16, F16, F16});
  is_large_ = choose_.one_in(20);
  const std::size_t families = 1 + choose_.below(3);
  for (std::size_t i = 0; i < families; ++i) {
    shapes_.push_back(fresh_shape());
  }
}

ir::Shape GraphBuilder::fresh_shape(std::size_t min_rank, std::size_t max_rank) {
  // Ones, primes, powers of two and their neighbours: below, at and above the vector widths of all types.
  static const std::vector<std::int64_t> kExtents{1,  2,  3,  4,  5,  7,  8,  13,  16,
                                                  17, 31, 32, 33, 63, 64, 67, 100, 129};
  const std::int64_t limit = is_large_ ? 100'000 : 2'000;
  ir::Shape shape;
  const std::size_t rank = min_rank + choose_.below(max_rank - min_rank + 1);
  for (std::size_t i = 0; i < rank; ++i) {
    const std::int64_t extent = choose_.of(kExtents);
    shape.push_back(ir::elements(shape) * extent <= limit ? extent : choose_.between(1, 2));
  }
  if (is_large_ && rank > 0) {
    const std::int64_t others = ir::elements(shape) / shape[0];
    shape[0] = std::max<std::int64_t>(1, choose_.between(limit / 2, limit) / others);
  }
  return shape;
}

bool GraphBuilder::is_useful(ir::NodeId id) const {
  const interp::Value& value = known_[ir::index(id)];
  std::size_t undetermined = 0;
  for (std::size_t i = 0; i < value.bounds.size(); ++i) {
    if (value.bounds[i] == interp::kUndetermined) {
      ++undetermined;
    } else if (!value.reals.empty()) {
      const double size = std::fabs(value.reals[i]);
      if (!(size <= kLargestValue) || !(value.bounds[i] <= kLoosestBound * std::fmax(1, size))) {
        return false;
      }
    }
  }
  return static_cast<double>(undetermined) <= kUndeterminedShare * static_cast<double>(value.bounds.size());
}

void GraphBuilder::learn() {
  while (known_.size() < graph_.size()) {
    const auto id = static_cast<ir::NodeId>(known_.size());
    const ir::Node& node = graph_.node(id);
    if (node.op == ir::OpKind::Input) {
      known_.push_back(interp::to_value(contents_of(graph_, id, contents_seed_), kWithBounds));
      continue;
    }
    std::vector<const interp::Value*> values;
    for (const ir::NodeId operand : node.operands) {
      values.push_back(&known_[ir::index(operand)]);
    }
    Result<interp::Value> value = interp::evaluate_node(node, values, kWithBounds);
    if (!value.has_value()) {
      failed_ = true;
      return;
    }
    known_.push_back(*std::move(value));
  }
}

GraphBuilder::Node GraphBuilder::add(ir::OpKind op, std::initializer_list<ir::NodeId> operands,
                                     ir::Attributes attributes) {
  if (failed_) {
    return std::nullopt;
  }
  const Result<ir::NodeId> id = graph_.add(op, operands, std::move(attributes));
  // Kept small: a product of broadcasts can grow without limit.
  const std::int64_t limit = is_large_ ? 400'000 : 20'000;
  if (!id.has_value() || ir::elements(graph_.type(*id).shape) > limit) {
    failed_ = true;
    return std::nullopt;
  }
  learn();
  if (failed_ || !is_useful(*id)) {
    failed_ = true;
    return std::nullopt;
  }
  return *id;
}

ir::NodeId GraphBuilder::fresh_input(const ir::Type& type) {
  const ir::NodeId id = graph_.input(fmt::format("in{}", names_++), type).value();
  values_.push_back(id);
  return id;
}

ir::NodeId GraphBuilder::fresh_index(const ir::Shape& shape, std::int64_t extent, ir::DType dtype) {
  const std::string name = fmt::format("index_{}_{}", extent, names_++);
  return graph_.input(name, {.dtype = dtype, .shape = shape}).value();
}

ir::NodeId GraphBuilder::any_value(bool (*fits)(const ir::Type&), std::size_t min_rank) {
  std::vector<ir::NodeId> found;
  for (const ir::NodeId id : values_) {
    if (fits(type(id)) && type(id).shape.rank() >= min_rank) {
      found.push_back(id);
    }
  }
  // Mostly recent values, so that chains grow; old ones now and then, so that values have several readers.
  if (!found.empty() && !choose_.one_in(8)) {
    const std::size_t recent = choose_.one_in(3) ? found.size() : std::min<std::size_t>(found.size(), 3);
    return found[found.size() - 1 - choose_.below(recent)];
  }
  ir::Type wanted{.dtype = main_type_, .shape = choose_.of(shapes_)};
  if (wanted.shape.rank() < min_rank) {
    wanted.shape = fresh_shape(min_rank, std::max<std::size_t>(min_rank, 3));
  }
  for (const ir::DType other : {ir::DType::I32, ir::DType::I64, ir::DType::Bool}) {
    if (!fits(wanted)) {
      wanted.dtype = other;
    }
  }
  return fresh_input(wanted);
}

ir::NodeId GraphBuilder::partner(ir::NodeId other) {
  const ir::Type wanted = type(other);
  std::vector<ir::NodeId> found;
  for (const ir::NodeId id : values_) {
    if (type(id).dtype == wanted.dtype && ir::broadcast(type(id).shape, wanted.shape).has_value()) {
      found.push_back(id);
    }
  }
  if (!found.empty() && !choose_.one_in(4)) {
    return choose_.of(found);
  }
  if (choose_.one_in(4)) {
    return small_constant(wanted.dtype);
  }
  // The same shape, one with axes of extent 1, or one of lower rank.
  const std::size_t dropped = choose_.one_in(3) ? choose_.below(wanted.shape.rank() + 1) : 0;
  ir::Shape shape;
  for (std::size_t i = dropped; i < wanted.shape.rank(); ++i) {
    shape.push_back(choose_.one_in(4) ? 1 : wanted.shape[i]);
  }
  return fresh_input({.dtype = wanted.dtype, .shape = shape});
}

ir::NodeId GraphBuilder::small_constant(ir::DType dtype) {
  const double value = choose_.of({0.0, 1.0, -1.0, 2.0, 3.0, 0.5, -0.25, 1.5, 0.1});
  return graph_.constant(value, dtype);
}

bool GraphBuilder::try_add(ir::OpKind op) {
  const ir::Graph before = graph_;
  const std::size_t values = values_.size();
  failed_ = false;
  Node made;
  switch (ir::category(op)) {
    case ir::Category::Elementwise: made = elementwise(op); break;
    case ir::Category::Cast: made = cast(); break;
    case ir::Category::Source: made = source(op); break;
    case ir::Category::Reduction: made = reduction(op); break;
    case ir::Category::Matmul: made = matmul(); break;
    case ir::Category::Convolution: made = convolution(op); break;
    case ir::Category::View: made = view(op); break;
    case ir::Category::Movement: made = movement(op); break;
    case ir::Category::Composite: made = composite(op); break;
  }
  if (!made.has_value() || failed_ || graph_.size() == before.size()) {
    go_back_to(before, values);
    return false;
  }
  values_.push_back(*made);
  return true;
}

bool GraphBuilder::try_change(const Change& change) {
  const ir::Graph before = graph_;
  failed_ = false;
  const std::vector<ir::NodeId> made = change(graph_);
  learn();
  if (failed_ || made.empty() || !std::ranges::all_of(made, [&](ir::NodeId id) { return is_useful(id); })) {
    go_back_to(before, values_.size());
    return false;
  }
  return true;
}

std::vector<ir::NodeId> GraphBuilder::computed_reals() const {
  std::vector<ir::NodeId> found;
  for (const ir::NodeId id : values_) {
    if (ir::is_float(type(id).dtype) && graph_.node(id).op != ir::OpKind::Input) {
      found.push_back(id);
    }
  }
  return found;
}

void GraphBuilder::go_back_to(const ir::Graph& before, std::size_t values) {
  graph_ = before;
  values_.resize(values);
  known_.resize(std::min(known_.size(), before.size()));
}

ir::Graph GraphBuilder::finish() {
  learn();
  const auto readers = ir::users(graph_);
  std::vector<ir::NodeId> updated;
  int outputs = 0;
  for (std::size_t i = graph_.size(); i-- > 0;) {
    const auto id = static_cast<ir::NodeId>(i);
    const bool is_result = std::ranges::find(values_, id) != values_.end() && is_useful(id);
    const bool is_input = graph_.node(id).op == ir::OpKind::Input;
    // What nobody reads, and a few of the others; an input as it is now and then.
    if (!is_result || (is_input ? !choose_.one_in(60) : !readers[i].empty() && !choose_.one_in(8))) {
      continue;
    }
    std::optional<ir::NodeId> state;
    for (const ir::NodeId input : graph_.inputs()) {
      // Not what is read as an index: the next step would read out of range.
      const bool fits = type(input) == type(id) && std::ranges::find(updated, input) == updated.end() &&
                        !graph_.node(input).attributes.text(ir::AttrKey::Name).starts_with("index_");
      if (!is_input && !state.has_value() && fits && choose_.one_in(3)) {
        state = input;
        updated.push_back(input);
      }
    }
    FORETELL_CHECK(graph_.output(fmt::format("out{}", outputs++), id, state).has_value());
  }
  return graph_;
}

}  // namespace foretell::tests
