// SPDX-License-Identifier: Apache-2.0
// A failing graph -> a small one that still fails.
#pragma once

#include <functional>

#include "fusion-engine/ir/graph.hpp"

namespace foretell::tests {

// Drops outputs, state and nodes (replaced by fresh inputs of their type) as long as `fails` holds; one more
// removal of any kind makes it pass. `fails(graph)` must be true. Calls it at most `max_tries` times.
ir::Graph shrink(const ir::Graph& graph, const std::function<bool(const ir::Graph&)>& fails,
                 int max_tries = 400);

}  // namespace foretell::tests
