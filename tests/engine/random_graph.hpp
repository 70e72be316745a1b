// SPDX-License-Identifier: Apache-2.0
// Random graphs for the property tests, reproducible from a seed.
#pragma once

#include <cstdint>
#include <vector>

#include "fusion-engine/ir/graph.hpp"
#include "fusion-engine/ir/host_tensor.hpp"

namespace foretell::tests {

// A verified graph of 3 to 40 ops over all rows of the op table, and the dtypes they take: broadcasting,
// reductions, views, movement, matmul, composites, random ops, several outputs, some of them state. About one
// in twenty has tensors of some 100,000 elements. No live value is non-finite or larger than 1e4 in
// magnitude, and most are determined (see interp::Value::bounds), so that comparing is worth something.
ir::Graph random_graph(std::uint64_t seed);

// A step of training: a random forward graph of up to 15 ops, a loss of some of its values (sums, means,
// cross entropy), its gradients, and for each of up to four inputs a new value that replaces it: by gradient
// descent, or by Adam's rule, whose moments are inputs and states, too. The loss is an output. Values are as
// above.
ir::Graph random_training_graph(std::uint64_t seed);

// Contents for the inputs of a graph. An integer input named "index_N_..." holds numbers in [0, N), other
// integers are in [0, 8). One named "special_..." holds the numbers that implementations trip over. An
// input's contents depend on its name, type and the seed only, so they stay when a graph is shrunk.
std::vector<ir::HostTensor> inputs_for(const ir::Graph& graph, std::uint64_t seed);

}  // namespace foretell::tests
