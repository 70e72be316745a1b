// SPDX-License-Identifier: Apache-2.0
// How far the variants' results are from the reference interpreter's.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fusion-engine/runtime/cpu/cpu_device.hpp"
#include "fusion-engine/runtime/cpu/input_set.hpp"
#include "fusion-engine/runtime/executor.hpp"
#include "fusion-engine/workloads/workload.hpp"
#include "reports/run_model.hpp"
#include "src/base/result.hpp"

namespace foretell::bridge {

// Makes a variant's executor for any graph; what it needs lives as long as the executor.
using MakeExecutor = std::function<Result<std::unique_ptr<runtime::Executor>>(
    const ir::Graph& graph, runtime::cpu::InputSet& inputs)>;
struct DriftVariant {
  std::string name;
  bool op_by_op = false;  // gives the result of every op: the worst is looked for
  MakeExecutor make;
};

// Element-ops (WorkCount) that the reference is asked for at most: about a second of it.
inline constexpr double kMaxReferenceWork = 16e6;
// Of a workload with states: training drifts from step to step. The reference has that much more to do.
inline constexpr std::size_t kDriftSteps = 8;
// Nodes up to which the worst op is looked for: each becomes an output, and is evaluated once more by itself.
inline constexpr std::size_t kMaxWorstOpNodes = 64;

// What stands for the workload: itself, or over less data (`measured_at` says what was changed: "size 1.00
// MiB").
struct DriftInstance {
  workloads::Workload workload;
  std::string measured_at;
  std::size_t steps = 1;  // more where it has states
};
// `work`: its element-ops, after the pipeline. nullopt: too large, and nothing smaller can stand for it.
std::optional<DriftInstance> drift_instance(const workloads::Workload& workload, double work);

// In the order of `variants`; each is an error of its executor's, or a row. Errors (BadInput): the
// interpreter refuses the inputs.
Result<std::vector<Result<reports::DriftRow>>> measure_drift(const DriftInstance& instance,
                                                             runtime::cpu::CpuDevice& device,
                                                             std::span<const DriftVariant> variants,
                                                             std::uint64_t seed);

}  // namespace foretell::bridge
