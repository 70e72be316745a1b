// SPDX-License-Identifier: Apache-2.0
// Runs a workload's variants on this machine and says what was measured, what binds, and how far results
// drift.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fusion-engine/codegen/kernel_library.hpp"
#include "fusion-engine/runtime/cpu/cpu_device.hpp"
#include "fusion-engine/workloads/workload.hpp"
#include "reports/run_model.hpp"
#include "src/base/result.hpp"
#include "src/bridge/probe_session.hpp"
#include "src/bridge/variants.hpp"

namespace foretell::bridge {

struct RunOptions {
  std::vector<std::string> variants = variant_names();
  runtime::cpu::DeviceOptions device;
  codegen::CacheOptions cache;  // of compiled kernels
  ProbeOptions probe;
  std::optional<ProbeSession> session;  // the machine's constants where they are there already
  std::uint64_t seed = 0;
  std::int64_t budget_ns = 3'000'000'000;  // of measuring
  bool memory_pictures = false;            // of planned memory
  bool drift = true;
  bool plan_only = false;                          // what is fused and what is not; nothing runs
  std::function<void(std::string_view)> on_stage;  // hears what is done now; may be empty
};

// The constants as a run reads them, which tells its stages.
Result<ProbeSession> read_session(runtime::cpu::CpuDevice& device, const RunOptions& options);

// A variant that can't be run (no compiler) has its error in the report, and the others are measured. Errors:
// Environment for too little memory; Usage for the allocator or a variant; the first variant's, if none can
// be run.
Result<reports::RunReport> run_workload(const workloads::Workload& workload, const RunOptions& options);

}  // namespace foretell::bridge
