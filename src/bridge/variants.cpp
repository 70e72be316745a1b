// SPDX-License-Identifier: Apache-2.0
#include "src/bridge/variants.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "fusion-engine/runtime/cpu/eager_executor.hpp"
#include "fusion-engine/runtime/cpu/fused_executor.hpp"
#include "src/base/check.hpp"
#include "src/base/names.hpp"

namespace foretell::bridge {
namespace {

constexpr std::array kVariants{
    VariantInfo{.name = "eager", .compiled = false, .op_by_op = true},
    VariantInfo{.name = "fused", .compiled = true, .op_by_op = false},
};

}  // namespace

std::span<const VariantInfo> all_variants() { return kVariants; }

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

Result<runtime::cpu::FusedProgram*> VariantFactory::plan(const ir::Graph& graph) {
  const auto known = std::ranges::find(planned_, graph, &Planned::graph);
  if (known != planned_.end()) {
    return &known->program;
  }
  FORETELL_ASSIGN_OR_RETURN(auto program, runtime::cpu::build_fused_program(graph, device_));
  planned_.push_back({graph, std::move(program)});
  return &planned_.back().program;
}

Result<const codegen::Compiler*> VariantFactory::compiler() {
  if (!compiler_) {
    FORETELL_ASSIGN_OR_RETURN(compiler_, codegen::find_compiler());
  }
  return &*compiler_;
}

Result<std::unique_ptr<runtime::Executor>> VariantFactory::make(std::string_view name, const ir::Graph& graph,
                                                                runtime::cpu::InputSet& inputs) {
  if (!variant(name).compiled) {
    return runtime::cpu::make_eager_executor(graph, device_, inputs);
  }
  FORETELL_ASSIGN_OR_RETURN(const codegen::Compiler* found, compiler());
  FORETELL_ASSIGN_OR_RETURN(runtime::cpu::FusedProgram * program, plan(graph));
  return runtime::cpu::make_fused_executor(*program, *found, cache_, device_, inputs);
}

}  // namespace foretell::bridge
