// SPDX-License-Identifier: Apache-2.0
// Gradients against central differences of the reference interpreter.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "fusion-engine/ir/graph.hpp"
#include "fusion-engine/ir/host_tensor.hpp"

namespace foretell::tests {

// A graph with one output more, a loss in f64: all outputs as numbers, each times an input of its shape, so
// that no element's gradient is another's.
ir::Graph with_loss(const ir::Graph& graph);
inline constexpr const char* kLoss = "loss";

// Its inputs of float types, without those that with_loss() added.
std::vector<std::string> parameters_of(const ir::Graph& graph);
// The gradients of the loss with respect to the parameters as the only outputs.
ir::Graph gradients_of(const ir::Graph& with_loss);

// What is wrong with the gradients of an f64 graph with a loss; empty if nothing is. `is_finite`: the loss
// and what was compared were numbers.
struct GradientCheck {
  std::string faults;
  bool is_finite = false;
};
GradientCheck check_gradients(const ir::Graph& with_loss, std::span<const ir::HostTensor> inputs);

}  // namespace foretell::tests
