// SPDX-License-Identifier: Apache-2.0
// For tests: a graph as text, its inputs as lists of numbers.
#pragma once

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

#include "fusion-engine/interp/interpreter.hpp"
#include "fusion-engine/ir/text.hpp"

namespace foretell::interp {

using Numbers = std::vector<double>;

inline ir::Graph graph_of(std::string_view text) {
  Result<ir::Graph> graph = ir::parse(text);
  EXPECT_TRUE(graph.has_value()) << (graph.has_value() ? "" : graph.error().message) << "\n" << text;
  return graph.has_value() ? *std::move(graph) : ir::Graph();
}

inline std::vector<ir::HostTensor> tensors_of(const ir::Graph& graph, const std::vector<Numbers>& inputs) {
  std::vector<ir::HostTensor> tensors;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    ir::HostTensor tensor = ir::make_tensor(graph.type(graph.inputs()[i]));
    for (std::size_t j = 0; j < inputs[i].size(); ++j) {
      ir::set(tensor, static_cast<std::int64_t>(j), inputs[i][j]);
    }
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

// The elements of a value as doubles.
inline Numbers numbers_of(const Value& value) {
  return value.reals.empty() ? Numbers(value.integers.begin(), value.integers.end()) : value.reals;
}

}  // namespace foretell::interp
