// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/runtime/cpu/fused_kernels.hpp"

#include <string>
#include <utility>
#include <vector>

#include "fusion-engine/codegen/generate.hpp"

namespace foretell::runtime::cpu {

Result<std::shared_ptr<const codegen::KernelLibrary>> load_fused_kernels(std::span<Program* const> programs,
                                                                         const codegen::Compiler& compiler,
                                                                         const codegen::CacheOptions& cache,
                                                                         const CpuDevice& device) {
  const std::vector<const Program*> constant(programs.begin(), programs.end());
  const std::vector<codegen::KernelSource> kernels = distinct_kernels(constant);
  if (kernels.empty()) {
    return nullptr;
  }
  // The host's and the workers': nothing runs on the stream meanwhile.
  const std::vector<int> processors = device.stream->processors();
  const std::vector<std::string> units = codegen::translation_units(kernels, processors.size());
  FORETELL_ASSIGN_OR_RETURN(codegen::KernelLibrary library,
                            codegen::KernelLibrary::load(units, compiler, cache, processors));
  for (Program* const program : programs) {
    program->report.library = library.stats();
  }
  return std::make_shared<const codegen::KernelLibrary>(std::move(library));
}

}  // namespace foretell::runtime::cpu
