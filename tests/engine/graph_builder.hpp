// SPDX-License-Identifier: Apache-2.0
// Grows a graph op by op and evaluates as it goes, so that ops with useless values can be refused.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "fusion-engine/interp/interpreter.hpp"
#include "fusion-engine/ir/graph.hpp"
#include "tests/engine/choices.hpp"

namespace foretell::tests {

class GraphBuilder {
 public:
  explicit GraphBuilder(std::uint64_t seed);

  // Tries an op of this kind over values that are there, or fresh inputs. False if it did not come about: no
  // fit, or values out of hand; then the graph is what it was.
  bool try_add(ir::OpKind op);
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
  Node view(ir::OpKind op);
  Node movement(ir::OpKind op);
  Node composite(ir::OpKind op);
  Node cast();
  Node reshape(ir::NodeId x);
  ir::Attributes slice_of(const ir::Shape& shape);

  void learn();  // evaluates what is new
  bool is_useful(ir::NodeId id) const;

  Choices choose_;
  std::uint64_t seed_;
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
