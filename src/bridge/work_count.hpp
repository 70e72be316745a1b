// SPDX-License-Identifier: Apache-2.0
// How much arithmetic a graph is.
#pragma once

#include "fusion-engine/ir/graph.hpp"

namespace foretell::bridge {

struct WorkCount {
  double flops = 0;         // elementwise ops as their rows count them, reductions one per element read
  double matmul_flops = 0;  // 2 m n k per product
  double matmuls = 0;       // products
  double element_ops = 0;   // what the interpreter walks: elements of results, multiply-adds of products
};
// Of the nodes that outputs depend on. After the pipeline: a composite op counts as one op per element.
WorkCount count_work(const ir::Graph& graph);

}  // namespace foretell::bridge
