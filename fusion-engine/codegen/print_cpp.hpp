// SPDX-License-Identifier: Apache-2.0
// Loop IR -> C++ over the vector types and functions of the headers in simd/.
#pragma once

#include <string>

#include "fusion-engine/ir/loop_ir.hpp"

namespace foretell::codegen {

// The symbol of a stage: the kernel's name, numbered if there are several.
std::string stage_symbol(const ir::loop::Kernel& kernel, std::size_t stage);

// One function `extern "C" void SYMBOL(void* const* buffers, long begin, long end)` per stage. The name
// appears in the symbols only, so kernels that do the same differ in nothing else.
std::string print_cpp(const ir::loop::Kernel& kernel);

}  // namespace foretell::codegen
