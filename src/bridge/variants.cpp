// SPDX-License-Identifier: Apache-2.0
#include "src/bridge/variants.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "fusion-engine/runtime/cpu/eager_executor.hpp"
#include "fusion-engine/runtime/cpu/fused_executor.hpp"
#include "src/base/check.hpp"
#include "src/base/text.hpp"

namespace foretell::bridge {
namespace {

constexpr std::array<std::string_view, 2> kVariants{"eager", "fused"};

}  // namespace

std::span<const std::string_view> all_variants() { return kVariants; }

Result<void> check_variants(std::span<const std::string> names) {
  for (const std::string& name : names) {
    if (std::ranges::find(kVariants, name) == kVariants.end()) {
      const auto meant = nearest(name, kVariants);
      return fail(ErrorCode::Usage, "--variants",
                  fmt::format("unknown variant '{}', expected one of: {}", printable(name),
                              fmt::join(kVariants, ", ")),
                  meant ? fmt::format("did you mean '{}'?", *meant) : std::string());
    }
  }
  if (names.empty()) {
    return fail(ErrorCode::Usage, "--variants",
                fmt::format("expected one of: {}", fmt::join(kVariants, ", ")));
  }
  return {};
}

Result<std::unique_ptr<runtime::Executor>> VariantFactory::make(std::string_view variant,
                                                                const ir::Graph& graph,
                                                                runtime::cpu::CpuDevice& device,
                                                                runtime::cpu::InputSet& inputs) {
  if (variant == "eager") {
    return runtime::cpu::make_eager_executor(graph, device, inputs);
  }
  FORETELL_CHECK(variant == "fused" && compiler_.has_value());
  FORETELL_ASSIGN_OR_RETURN(auto program, runtime::cpu::build_fused_program(graph, device));
  programs_.push_back(std::make_unique<runtime::cpu::FusedProgram>(std::move(program)));
  return runtime::cpu::make_fused_executor(*programs_.back(), *compiler_, cache_, device, inputs);
}

}  // namespace foretell::bridge
