// SPDX-License-Identifier: Apache-2.0
// Values that a kernel over rows keeps for later walks instead of computing them again.
#pragma once

#include <cstdint>
#include <vector>

#include "fusion-engine/codegen/lower_nest.hpp"
#include "fusion-engine/ir/graph.hpp"
#include "fusion-engine/passes/fusion_plan.hpp"

namespace foretell::codegen {

struct KeptRow {
  ir::NodeId value{};
  int walk = 0;  // the first that needs it
};

// Those that cost more than reading them back, and that a later walk needs itself (not only through others
// that are kept). Empty if a row of them would not stay in the first-level cache. `row_elements`: of one row,
// whole vectors.
std::vector<KeptRow> choose_kept_rows(const ir::Graph& graph, const passes::FusionGroup& group,
                                      const Nest& nest, std::int64_t row_elements);

}  // namespace foretell::codegen
