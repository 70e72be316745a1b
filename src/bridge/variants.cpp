// SPDX-License-Identifier: Apache-2.0
#include "src/bridge/variants.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "fusion-engine/runtime/cpu/eager_executor.hpp"
#include "fusion-engine/runtime/cpu/fused_kernels.hpp"
#include "src/base/check.hpp"
#include "src/base/names.hpp"

namespace foretell::bridge {
namespace {

constexpr std::array kVariants{
    VariantInfo{.name = "eager"},
    VariantInfo{.name = runtime::cpu::kReplay.name, .form = &runtime::cpu::kReplay},
    VariantInfo{.name = runtime::cpu::kFused.name, .form = &runtime::cpu::kFused},
    VariantInfo{.name = runtime::cpu::kPlanned.name, .form = &runtime::cpu::kPlanned},
    VariantInfo{.name = runtime::cpu::kFull.name, .form = &runtime::cpu::kFull},
};

}  // namespace

std::span<const VariantInfo> all_variants() { return kVariants; }

std::vector<std::string> variant_names() {
  std::vector<std::string> names;
  std::ranges::transform(kVariants, std::back_inserter(names),
                         [](const VariantInfo& info) { return std::string(info.name); });
  return names;
}

const VariantInfo& variant(std::string_view name) {
  const auto* const at = std::ranges::find(kVariants, name, &VariantInfo::name);
  FORETELL_CHECK(at != kVariants.end());
  return *at;
}

Result<void> check_variants(std::span<const std::string> names) {
  std::vector<std::string_view> known;
  std::ranges::transform(kVariants, std::back_inserter(known), &VariantInfo::name);
  for (const std::string& name : names) {
    FORETELL_RETURN_IF_ERROR(check_name("--variants", "variant", name, known));
  }
  if (names.empty()) {
    return fail(ErrorCode::Usage, "--variants", fmt::format("expected one of: {}", fmt::join(known, ", ")));
  }
  return {};
}

VariantFactory::Made& VariantFactory::made_for(const ir::Graph& graph) {
  const auto known = std::ranges::find(made_, graph, &Made::graph);
  if (known != made_.end()) {
    return *known;
  }
  made_.push_back({.graph = graph, .ops = {}, .fused = {}, .library = nullptr});
  return made_.back();
}

Result<runtime::cpu::Program*> VariantFactory::fused_program(const ir::Graph& graph) {
  Made& made = made_for(graph);
  if (!made.fused) {
    FORETELL_ASSIGN_OR_RETURN(made.fused, runtime::cpu::build_fused_program(graph, device_));
  }
  return &*made.fused;
}

Result<const codegen::Compiler*> VariantFactory::compiler() {
  if (!compiler_) {
    FORETELL_ASSIGN_OR_RETURN(compiler_, codegen::find_compiler());
  }
  return &*compiler_;
}

Result<void> VariantFactory::load_library(Made& made) {
  if (made.library) {
    return {};
  }
  FORETELL_ASSIGN_OR_RETURN(const codegen::Compiler* found, compiler());
  runtime::cpu::Program* const programs[]{&*made.fused};
  FORETELL_ASSIGN_OR_RETURN(made.library,
                            runtime::cpu::load_fused_kernels(programs, *found, cache_, device_));
  return {};
}

Result<std::unique_ptr<runtime::Executor>> VariantFactory::make(std::string_view name, const ir::Graph& graph,
                                                                runtime::cpu::InputSet& inputs) {
  const runtime::cpu::ExecutionForm* const form = variant(name).form;
  if (form == nullptr) {
    return runtime::cpu::make_eager_executor(graph, device_, inputs);
  }
  if (form->fused) {
    FORETELL_RETURN_IF_ERROR(fused_program(graph));
    Made& made = made_for(graph);
    FORETELL_RETURN_IF_ERROR(load_library(made));
    return runtime::cpu::make_program_executor(*made.fused, *form, made.library, device_, inputs);
  }
  Made& made = made_for(graph);
  if (!made.ops) {
    made.ops = runtime::cpu::build_op_program(graph);
  }
  return runtime::cpu::make_program_executor(*made.ops, *form, nullptr, device_, inputs);
}

}  // namespace foretell::bridge
