// SPDX-License-Identifier: Apache-2.0
// What a stage's function declares before its statements.
#pragma once

#include "fusion-engine/codegen/print_cpp_mentions.hpp"
#include "fusion-engine/codegen/print_cpp_text.hpp"
#include "fusion-engine/ir/loop_ir.hpp"

namespace foretell::codegen {

// The buffers that are mentioned, by their types and positions.
void declare_buffers(const ir::loop::Kernel& kernel, const Mentions& mentions, CppText& text);

// Opens the loop over the units and declares their indices. A single index counts itself, or its blocks.
void open_units(const ir::loop::Stage& stage, const Mentions& mentions, CppText& text);

}  // namespace foretell::codegen
