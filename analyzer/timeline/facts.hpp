// SPDX-License-Identifier: Apache-2.0
// Raw facts of a trace: counts and sums as recorded. Corrupt durations are not clipped here (see
// durations.hpp); untimed records count, but stay off the time axis.
#pragma once

#include <cstdint>
#include <optional>

#include "analyzer/profile/profile.hpp"
#include "analyzer/timeline/links.hpp"

namespace foretell::timeline {

struct Facts {
  std::uint64_t kernels = 0, memcpys = 0, memsets = 0, cpu_ops = 0;
  std::uint64_t launch_calls = 0;  // kernel launches of every spelling, graph launches apart
  std::uint64_t graph_launches = 0;
  std::uint64_t steps = 0;             // distinct ProfilerStep names
  std::int64_t kernel_sum_ns = 0;      // a sum over streams: may exceed the span
  std::int64_t kernel_busy_ns = 0;     // union of kernel intervals per device, summed over devices
  std::int64_t device_busy_ns = 0;     // the same with copies and sets
  std::int64_t span_ns = 0;            // first to last complete event, bookkeeping and overhead rows excluded
  std::optional<double> linked_share;  // linked kernels / kernels; nullopt: no kernels
  std::uint64_t active_devices = 0;    // devices with a kernel, copy or set
};

Facts compute_facts(const profile::Profile& profile, const Links& links);

}  // namespace foretell::timeline
