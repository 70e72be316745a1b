// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/probe/probe.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include "fusion-engine/probe/probes.hpp"
#include "fusion-engine/runtime/clock.hpp"
#include "fusion-engine/runtime/measure.hpp"

namespace foretell::probe {

std::span<const Probe> all_probes() {
  static constexpr std::array kProbes{
      Probe{"stream", "enqueue, drain and synchronise empty commands", probe_stream},
      Probe{"dispatch", "host cost of an eager op", probe_dispatch},
      Probe{"replay", "replay a recording of empty commands", probe_replay},
      Probe{"allocators", "cached and system allocation, page faults", probe_allocators},
      Probe{"arithmetic", "matrix products and multiply-adds", probe_arithmetic},
      Probe{"copies", "memcpy, plain and streaming copies at each level", probe_copies},
  };
  return kProbes;
}

Result<ProbeResult> run_probes(runtime::cpu::CpuDevice& device, runtime::MachineState& state,
                               std::int64_t now_s, const std::function<void(std::size_t)>& on_probe) {
  ProbeResult result{.machine = read_machine(device), .probed_at_s = now_s, .constants = {}};
  Sampler sampler(state);
  const std::int64_t begin = runtime::now_ns();
  for (std::size_t i = 0; i < all_probes().size(); ++i) {
    if (on_probe) {
      on_probe(i);
    }
    FORETELL_ASSIGN_OR_RETURN(auto constants, all_probes()[i].run(device, sampler));
    std::ranges::move(constants, std::back_inserter(result.constants));
  }
  result.duration_ns = runtime::now_ns() - begin;
  result.taken = sampler.taken();
  result.rejected = sampler.rejected();
  return result;
}

bool was_busy(const ProbeResult& result) {
  return static_cast<double>(result.rejected) >
         runtime::MeasureOptions{}.max_rejected * static_cast<double>(result.taken);
}

std::optional<cost::Constant> find_constant(const ProbeResult& result, std::string_view name) {
  for (const ProbedConstant& each : result.constants) {
    if (each.constant.name == name) {
      return each.constant;
    }
  }
  return std::nullopt;
}

}  // namespace foretell::probe
