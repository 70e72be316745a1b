// SPDX-License-Identifier: Apache-2.0
// The variants of a workload by name.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fusion-engine/codegen/kernel_library.hpp"
#include "fusion-engine/runtime/cpu/cpu_device.hpp"
#include "fusion-engine/runtime/cpu/fused_program.hpp"
#include "fusion-engine/runtime/cpu/input_set.hpp"
#include "fusion-engine/runtime/executor.hpp"
#include "src/base/result.hpp"

namespace foretell::bridge {

// The reference of speed-ups first.
std::span<const std::string_view> all_variants();
// Errors (Usage): an unknown name (the valid ones are listed), or none.
Result<void> check_variants(std::span<const std::string> names);

// Makes executors for any graph. It outlives them, and what it was made from outlives it.
class VariantFactory {
 public:
  // `compiler`: there, if a fused one will be asked for.
  VariantFactory(const std::optional<codegen::Compiler>& compiler, const codegen::CacheOptions& cache)
      : compiler_(compiler), cache_(cache) {}

  Result<std::unique_ptr<runtime::Executor>> make(std::string_view variant, const ir::Graph& graph,
                                                  runtime::cpu::CpuDevice& device,
                                                  runtime::cpu::InputSet& inputs);

 private:
  const std::optional<codegen::Compiler>& compiler_;
  const codegen::CacheOptions& cache_;
  std::vector<std::unique_ptr<runtime::cpu::FusedProgram>> programs_;
};

}  // namespace foretell::bridge
