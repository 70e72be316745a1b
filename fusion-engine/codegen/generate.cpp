// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/codegen/generate.hpp"

#include <algorithm>

#include "embedded/simd_preamble.hpp"
#include "fusion-engine/codegen/lower.hpp"
#include "fusion-engine/codegen/print_cpp.hpp"

namespace foretell::codegen {

KernelSource generate_kernel(const ir::Graph& graph, const passes::FusionGroup& group, std::string_view name,
                             const CodegenOptions& options) {
  const ir::loop::Kernel kernel = lower(graph, group, name, options);
  KernelSource source{.name = std::string(name), .text = print_cpp(kernel), .stages = {}, .scratch_bytes = 0};
  for (std::size_t i = 0; i < kernel.stages.size(); ++i) {
    source.stages.push_back({.symbol = stage_symbol(kernel, i), .units = ir::loop::units(kernel.stages[i])});
  }
  for (const ir::loop::Buffer& buffer : kernel.buffers) {
    if (buffer.role == ir::loop::Buffer::Role::Scratch) {
      const auto size = static_cast<std::int64_t>(ir::size_bytes(buffer.dtype));
      source.scratch_bytes = buffer.offset_bytes + buffer.elements * size;  // they lie one behind the other
    }
  }
  return source;
}

std::string_view preamble() { return embedded::kSimdPreamble; }

std::string translation_unit(std::span<const KernelSource> kernels) {
  std::string text(preamble());
  text += "\nusing namespace foretell_simd;\n";
  for (const KernelSource& kernel : kernels) {
    text += "\n";
    text += kernel.text;
  }
  return text;
}

std::vector<std::string> translation_units(std::span<const KernelSource> kernels, std::size_t processors) {
  constexpr std::size_t kFewest = 8;  // kernels whose compilation outweighs a second preamble
  constexpr std::size_t kMost = 100;  // about 200 MB in g++
  const std::size_t side_by_side = std::min(processors, kernels.size() / kFewest);
  const std::size_t parts = std::max({side_by_side, (kernels.size() + kMost - 1) / kMost, std::size_t{1}});
  std::vector<std::string> units;
  for (std::size_t i = 0; i < parts; ++i) {
    const std::size_t begin = kernels.size() * i / parts;
    const std::size_t end = kernels.size() * (i + 1) / parts;
    units.push_back(translation_unit(kernels.subspan(begin, end - begin)));
  }
  return units;
}

}  // namespace foretell::codegen
