// SPDX-License-Identifier: Apache-2.0
// For tests: graphs as text, and executors against the interpreter.
#pragma once

#include <gtest/gtest.h>

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "fusion-engine/interp/drift.hpp"
#include "fusion-engine/interp/interpreter.hpp"
#include "fusion-engine/ir/text.hpp"
#include "fusion-engine/runtime/cpu/input_set.hpp"
#include "fusion-engine/runtime/executor.hpp"

namespace foretell::runtime::cpu {

inline ir::Graph parse(const std::string& text) {
  auto graph = ir::parse("graph test\n" + text + "\n");
  EXPECT_TRUE(graph.has_value()) << graph.error().where << ": " << graph.error().message;
  return std::move(*graph);
}

inline std::vector<ir::HostTensor> to_host(const InputSet& inputs) {
  std::vector<ir::HostTensor> host;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    host.push_back(inputs.to_host(i));
  }
  return host;
}

inline void expect_as_interpreted(const ir::Graph& graph, std::span<const ir::HostTensor> inputs,
                                  const Executor& executor) {
  const auto reference = interp::evaluate(graph, inputs, {.bounds = true});
  ASSERT_TRUE(reference.has_value()) << reference.error().message;
  for (std::size_t i = 0; i < graph.outputs().size(); ++i) {
    const interp::Drift drift = interp::compare(executor.output(i), (*reference)[i]);
    EXPECT_LE(drift.max_of_bound, 1.0) << graph.outputs()[i].name;
    EXPECT_EQ(drift.nonfinite_mismatches, 0) << graph.outputs()[i].name;
  }
}

}  // namespace foretell::runtime::cpu
