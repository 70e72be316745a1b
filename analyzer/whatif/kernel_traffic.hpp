// SPDX-License-Identifier: Apache-2.0
// How a kernel's bytes split into what it reads and what it writes.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "analyzer/whatif/op_shapes.hpp"

namespace foretell::whatif {

// Shares of the bytes.
struct TrafficSplit {
  double reads = 0.5;
  double side_reads = 0;  // of `reads`, what is not the largest input
  double writes = 0.5;
};

// What a kernel's name says; all from its template arguments.
struct NameSplit {
  TrafficSplit split;
  bool certain = false;  // more so than the op's shapes
};
NameSplit split_by_name(std::string_view kernel_name);

// What the op's arguments say: all inputs are read, and a result is written that they broadcast to. nullopt:
// no input's type is known, or the sizes are absurd.
std::optional<TrafficSplit> split_by_arguments(std::string_view op, const std::vector<Argument>& arguments);

}  // namespace foretell::whatif
