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
#include "src/base/result.hpp"

namespace foretell::probe {

struct ProbeResult {
  Machine machine;
  std::int64_t probed_at_s = 0;  // seconds since 1970
  std::int64_t duration_ns = 0;  // what probing took
  std::vector<ProbedConstant> constants;
  friend bool operator==(const ProbeResult&, const ProbeResult&) = default;
};

struct Probe {
  std::string_view name;
  std::string_view title;  // what it times, one line
  Result<std::vector<ProbedConstant>> (*run)(runtime::cpu::CpuDevice& device, bool sync);
};
// In order of running.
std::span<const Probe> all_probes();

// Runs all on the device, which nobody else uses meanwhile. `on_probe` hears each one's index before it runs;
// may be empty. `now_s`: seconds since 1970. Errors (Environment): no memory for the largest copy.
Result<ProbeResult> run_probes(runtime::cpu::CpuDevice& device, bool sync, std::int64_t now_s,
                               const std::function<void(std::size_t)>& on_probe = {});

// The constant of that name; nullopt if it was not probed (bf16 on a machine without it).
std::optional<cost::Constant> find_constant(const ProbeResult& result, std::string_view name);

}  // namespace foretell::probe
