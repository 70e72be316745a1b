// SPDX-License-Identifier: Apache-2.0
// How much arithmetic a graph is.
#pragma once

#include <map>

#include "fusion-engine/ir/graph.hpp"

namespace foretell::bridge {

using FlopsByType = std::map<ir::DType, double>;

struct WorkCount {
  double flops = 0;          // of elementwise ops and reductions (ir/flops.hpp)
  FlopsByType matmul_flops;  // of products, by the type of their operands
  double matmuls = 0;        // products
  double element_ops = 0;    // what the interpreter walks: elements of results, multiply-adds of products
};
// Of the nodes that outputs depend on. After the pipeline: a composite op counts as one op per element.
WorkCount count_work(const ir::Graph& graph);

}  // namespace foretell::bridge
