// SPDX-License-Identifier: Apache-2.0
// Fusion groups -> loop IR -> C++ source.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "fusion-engine/codegen/kernel.hpp"
#include "fusion-engine/ir/graph.hpp"

namespace foretell::codegen {

// The kernel of one group; `name` becomes its symbols' prefix. Equal input gives byte-equal text.
KernelSource generate_kernel(const ir::Graph& graph, const passes::FusionGroup& group, std::string_view name,
                             const CodegenOptions& options);

// The embedded preamble (the headers in simd/): vector types and functions, no includes.
std::string_view preamble();
// Preamble and kernels as one translation unit.
std::string translation_unit(std::span<const KernelSource> kernels);
// The same as several, to be compiled side by side on so many processors: each parses the preamble anew, and
// a compiler's memory grows with its unit.
std::vector<std::string> translation_units(std::span<const KernelSource> kernels, std::size_t processors);

}  // namespace foretell::codegen
