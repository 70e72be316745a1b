// SPDX-License-Identifier: Apache-2.0
// Small graphs around each row of the op table.
#pragma once

#include <string>
#include <vector>

#include "fusion-engine/ir/graph.hpp"

namespace foretell::tests {

// The op over this dtype: elementwise ones over dense, broadcast, transposed, strided, empty and special
// operands, the others over a table of texts. Empty if the op does not take the dtype, or if its row has no
// text yet.
std::vector<ir::Graph> graphs_of(const ir::OpInfo& op, ir::DType dtype);

// Texts of the table that no dtype accepts, with the reasons: they would test nothing. Empty if there are
// none.
std::string refused_bodies();

}  // namespace foretell::tests
