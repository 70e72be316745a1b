// SPDX-License-Identifier: Apache-2.0
// Grows a graph op by op and evaluates as it goes, so that ops with useless values can be refused.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "fusion-engine/interp/interpreter.hpp"
#include "fusion-engine/ir/graph.hpp"
#include "tests/engine/choices.hpp"

namespace foretell::tests {

// Elementwise ops by far the most, then what surrounds them in a model.
ir::OpKind random_op(Choices& choose);

class GraphBuilder {
 public:
  // `contents_seed` is that of the inputs' contents (inputs_for).
  GraphBuilder(std::uint64_t seed, std::uint64_t contents_seed);

  // Tries an op of this kind over values that are there, or fresh inputs. False if it did not come about: no
  // fit, or values out of hand; then the graph is what it was.
  bool try_add(ir::OpKind op);
  // Lets `change` add nodes, and keeps them if it gives some and their values are useful; else it is as if
  // they had not been.
  using Change = std::function<std::vector<ir::NodeId>(ir::Graph& graph)>;
  bool try_change(const Change& change);
  // The computed values of a float type, in order.
  std::vector<ir::NodeId> computed_reals() const;
  const ir::Graph& graph() const { return graph_; }

  // Declares the outputs; call it last.
  ir::Graph finish();

 private:
  using Node = std::optional<ir::NodeId>;

  Node add(ir::OpKind op, std::initializer_list<ir::NodeId> operands, ir::Attributes attributes = {});
  ir::NodeId fresh_input(const ir::Type& type);
  ir::NodeId fresh_index(const ir::Shape& shape, std::int64_t extent, ir::DType dtype);
  const ir::Type& type(ir::NodeId id) const { return graph_.type(id); }
  ir::Shape fresh_shape(std::size_t min_rank = 0, std::size_t max_rank = 4);

  // Values to use as operands.
  ir::NodeId any_value(bool (*fits)(const ir::Type&), std::size_t min_rank = 0);
  ir::NodeId partner(ir::NodeId other);  // same dtype, shape that broadcasts with it
  ir::NodeId positive(ir::NodeId value);
  ir::NodeId small_constant(ir::DType dtype);

  Node elementwise(ir::OpKind op);
  Node source(ir::OpKind op);
  Node reduction(ir::OpKind op);
  Node matmul();
  Node convolution(ir::OpKind op);
  Node view(ir::OpKind op);
  Node movement(ir::OpKind op);
  Node composite(ir::OpKind op);
  Node gradient(ir::OpKind op, ir::NodeId x);
  Node image_composite(ir::OpKind op);
  Node cast();
  Node reshape(ir::NodeId x);
  ir::Attributes slice_of(const ir::Shape& shape);

  void go_back_to(const ir::Graph& before, std::size_t values);
  void learn();  // evaluates what is new
  bool is_useful(ir::NodeId id) const;

  Choices choose_;
  std::uint64_t contents_seed_;
  ir::Graph graph_;
  ir::DType main_type_;
  bool is_large_;
  std::vector<ir::Shape> shapes_;     // what fresh inputs look like
  std::vector<ir::NodeId> values_;    // what operands are taken from
  std::vector<interp::Value> known_;  // by node id
  int names_ = 0;
  bool failed_ = false;  // an inner op was refused
};

}  // namespace foretell::tests
