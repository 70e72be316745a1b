// SPDX-License-Identifier: Apache-2.0
// The probe: what this machine's overheads are, timed in about two seconds.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "fusion-engine/probe/machine.hpp"
#include "fusion-engine/probe/samples.hpp"
#include "fusion-engine/runtime/cpu/cpu_device.hpp"
#include "fusion-engine/runtime/machine_state.hpp"
#include "src/base/result.hpp"

namespace foretell::probe {

struct ProbeResult {
  Machine machine;
  std::int64_t probed_at_s = 0;  // seconds since 1970
  std::int64_t duration_ns = 0;  // what probing took
  std::int64_t taken = 0;        // samples
  std::int64_t rejected = 0;     // of them: something disturbed them
  std::vector<ProbedConstant> constants;
  friend bool operator==(const ProbeResult&, const ProbeResult&) = default;
};

struct Probe {
  std::string_view name;
  std::string_view title;  // what it times, one line
  Result<std::vector<ProbedConstant>> (*run)(runtime::cpu::CpuDevice& device, Sampler& sampler);
};
// In order of running.
std::span<const Probe> all_probes();

// Runs all on the device, which nobody else uses meanwhile; `state` is its machine. `on_probe` hears each
// one's index before it runs; may be empty. `now_s`: seconds since 1970. Errors (Environment): no memory for
// the largest copy.
Result<ProbeResult> run_probes(runtime::cpu::CpuDevice& device, runtime::MachineState& state,
                               std::int64_t now_s, const std::function<void(std::size_t)>& on_probe = {});

// More samples were disturbed than a measurement puts up with (runtime/measure.hpp): the constants are to be
// used for want of better ones, and not to be kept.
bool was_busy(const ProbeResult& result);

// The constant of that name; nullopt if it was not probed (bf16 on a machine without it).
std::optional<cost::Constant> find_constant(const ProbeResult& result, std::string_view name);

}  // namespace foretell::probe
