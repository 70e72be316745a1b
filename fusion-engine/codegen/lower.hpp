// SPDX-License-Identifier: Apache-2.0
// Fusion group -> loop IR: chooses the schedule (which loop is parallel, which one the lanes walk, how a unit
// is cut).
#pragma once

#include <string_view>

#include "fusion-engine/codegen/kernel.hpp"
#include "fusion-engine/ir/graph.hpp"
#include "fusion-engine/ir/loop_ir.hpp"

namespace foretell::codegen {

// Buffers come in the order of the binary interface: inputs, outputs, scratch. Equal input gives equal
// output.
ir::loop::Kernel lower(const ir::Graph& graph, const passes::FusionGroup& group, std::string_view name,
                       const CodegenOptions& options);

}  // namespace foretell::codegen
