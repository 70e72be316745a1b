// SPDX-License-Identifier: Apache-2.0
// --dump: what stands between a workload's graph and its machine code, as text.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "fusion-engine/ir/graph.hpp"
#include "fusion-engine/runtime/cpu/cpu_device.hpp"
#include "src/base/result.hpp"

namespace foretell::bridge {

// "ir": the graph; "passes": the graph after each pass that changed it, and the fusion plan; "cpp": generated
// source.
std::span<const std::string_view> all_stages();
// Errors (Usage): an unknown stage.
Result<void> check_stages(std::span<const std::string> stages);
// In that order whatever the order of `stages`, each behind a line of its name. Errors: of
// check_stages(), and of the pipeline.
Result<std::string> dump_stages(const ir::Graph& graph, const runtime::cpu::CpuDevice& device,
                                std::span<const std::string> stages);

}  // namespace foretell::bridge
