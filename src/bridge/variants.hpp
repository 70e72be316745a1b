// SPDX-License-Identifier: Apache-2.0
// The variants of a workload by name.
#pragma once

#include <list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fusion-engine/codegen/kernel_library.hpp"
#include "fusion-engine/runtime/cpu/cpu_device.hpp"
#include "fusion-engine/runtime/cpu/input_set.hpp"
#include "fusion-engine/runtime/cpu/program.hpp"
#include "fusion-engine/runtime/cpu/program_executor.hpp"
#include "fusion-engine/runtime/executor.hpp"
#include "src/base/result.hpp"

namespace foretell::bridge {

// The one list of them.
struct VariantInfo {
  std::string_view name;
  const runtime::cpu::ExecutionForm* form = nullptr;  // of a program; null: the eager executor

  bool compiled() const { return form != nullptr && form->fused; }  // needs a compiler and a fusion plan
  // Besides the allocator's: of a recording, or an arena.
  bool has_own_memory() const { return form != nullptr && (form->recorded || form->planned); }
  bool op_by_op() const { return !compiled(); }  // gives the result of every op
};
// The reference of speed-ups first.
std::span<const VariantInfo> all_variants();
std::vector<std::string> variant_names();
// That variant, which is there.
const VariantInfo& variant(std::string_view name);
// Errors (Usage): an unknown name (the valid ones are listed), or none.
Result<void> check_variants(std::span<const std::string> names);

// Makes executors for any graph on one device. It outlives them, and what it was made from outlives it.
class VariantFactory {
 public:
  VariantFactory(runtime::cpu::CpuDevice& device, const codegen::CacheOptions& cache)
      : device_(device), cache_(cache) {}

  // Passes, fusion, generated source: made once for a graph.
  Result<runtime::cpu::Program*> fused_program(const ir::Graph& graph);
  // Errors (Environment): there is none. Looked for once.
  Result<const codegen::Compiler*> compiler();

  Result<std::unique_ptr<runtime::Executor>> make(std::string_view name, const ir::Graph& graph,
                                                  runtime::cpu::InputSet& inputs);

 private:
  // What has been made for a graph so far.
  struct Made {
    ir::Graph graph;
    std::optional<runtime::cpu::Program> ops;
    std::optional<runtime::cpu::Program> fused;
    std::shared_ptr<const codegen::KernelLibrary> library;  // of the fused one
  };
  Made& made_for(const ir::Graph& graph);
  Result<void> load_library(Made& made);

  runtime::cpu::CpuDevice& device_;
  const codegen::CacheOptions& cache_;
  std::optional<codegen::Compiler> compiler_;
  std::list<Made> made_;  // executors refer to the programs: they stay where they are
};

}  // namespace foretell::bridge
