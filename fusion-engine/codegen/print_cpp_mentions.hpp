// SPDX-License-Identifier: Apache-2.0
// What statements refer to, so that a function declares no more than it uses.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "fusion-engine/ir/loop_ir.hpp"

namespace foretell::codegen {

struct Mentions {
  std::set<std::string> buffers;
  std::set<std::string> stored;  // buffers that are written to
  std::set<std::string> indices;
  bool streams = false;
  bool accumulates = false;
};
Mentions find_mentions(const std::vector<ir::loop::Statement>& statements);
// Adds to what is there.
void find_mentions(const std::vector<ir::loop::Statement>& statements, Mentions& mentions);

}  // namespace foretell::codegen
