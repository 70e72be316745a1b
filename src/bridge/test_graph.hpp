// SPDX-License-Identifier: Apache-2.0
// For tests: a graph by the statements of its text.
#pragma once

#include <string>
#include <string_view>

#include "fusion-engine/interp/test_graph.hpp"

namespace foretell::bridge {

inline ir::Graph parse(std::string_view body) { return interp::graph_of("graph g\n" + std::string(body)); }

}  // namespace foretell::bridge
