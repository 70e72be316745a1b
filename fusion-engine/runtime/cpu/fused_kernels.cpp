// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/runtime/cpu/fused_kernels.hpp"

#include <sched.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "fusion-engine/codegen/generate.hpp"

namespace foretell::runtime::cpu {
namespace {

// The host's and the workers': nothing runs on the stream meanwhile.
std::vector<int> processors_of(const CpuDevice& device) {
  std::vector<int> processors = device.stream->worker_cpus();
  cpu_set_t mine;
  if (::sched_getaffinity(0, sizeof mine, &mine) == 0) {
    for (int i = 0; i < CPU_SETSIZE; ++i) {
      if (CPU_ISSET(static_cast<std::size_t>(i), &mine)) {
        processors.push_back(i);
      }
    }
  }
  std::ranges::sort(processors);
  processors.erase(std::ranges::unique(processors).begin(), processors.end());
  return processors;
}

// Units to compile side by side. Each parses the preamble anew, and a compiler's memory grows with its unit.
std::vector<std::string> translation_units(std::span<const codegen::KernelSource> kernels,
                                           std::size_t processors) {
  constexpr std::size_t kFewest = 8;  // kernels whose compilation outweighs a second preamble
  constexpr std::size_t kMost = 100;  // about 200 MB in g++
  const std::size_t side_by_side = std::min(processors, kernels.size() / kFewest);
  const std::size_t parts = std::max({side_by_side, (kernels.size() + kMost - 1) / kMost, std::size_t{1}});
  std::vector<std::string> units;
  for (std::size_t i = 0; i < parts; ++i) {
    const std::size_t begin = kernels.size() * i / parts;
    const std::size_t end = kernels.size() * (i + 1) / parts;
    units.push_back(codegen::translation_unit(kernels.subspan(begin, end - begin)));
  }
  return units;
}

}  // namespace

Result<std::shared_ptr<const codegen::KernelLibrary>> load_fused_kernels(
    std::span<FusedProgram* const> programs, const codegen::Compiler& compiler,
    const codegen::CacheOptions& cache, const CpuDevice& device) {
  const std::vector<const FusedProgram*> constant(programs.begin(), programs.end());
  const std::vector<codegen::KernelSource> kernels = distinct_kernels(constant);
  if (kernels.empty()) {
    return nullptr;
  }
  const std::vector<int> processors = processors_of(device);
  const std::vector<std::string> units = translation_units(kernels, processors.size());
  FORETELL_ASSIGN_OR_RETURN(codegen::KernelLibrary library,
                            codegen::KernelLibrary::load(units, compiler, cache, processors));
  return std::make_shared<const codegen::KernelLibrary>(std::move(library));
}

}  // namespace foretell::runtime::cpu
