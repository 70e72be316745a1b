// SPDX-License-Identifier: Apache-2.0
// Allocations that reach the driver: host time in cudaMalloc, cudaFree and kin within the steady steps /
// those steps. A free also waits for the device.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "analyzer/checks/measure.hpp"
#include "src/base/text.hpp"

namespace foretell::checks {
namespace {

Finding run(const View& view) {
  if (const auto why = unknown_step(view)) {
    return found(Verdict::Unknown, *why);
  }
  const timeline::Allocations& a = view.timeline.allocations;
  const std::uint64_t steps = std::max<std::uint64_t>(view.timeline.steps.steady, 1);
  const auto mean = [&](std::int64_t steady) {
    return static_cast<double>(steady) / static_cast<double>(steps);
  };
  const std::int64_t driver_ns = a.device_allocate.call_ns.steady + a.device_free.call_ns.steady +
                                 a.host_allocate.call_ns.steady + a.host_free.call_ns.steady;
  const std::int64_t driver_calls = a.device_allocate.calls.steady + a.device_free.calls.steady +
                                    a.host_allocate.calls.steady + a.host_free.calls.steady;
  // bursts in few steps count by their mean; what the device idled is what they can cost at most
  const auto lost = std::max(idle_ns(view, timeline::IdleClass::Allocation),
                             std::min(static_cast<std::int64_t>(mean(driver_ns)),
                                      view.timeline.split.step_ns - view.timeline.split.busy_ns));
  Finding finding;
  finding.verdict = verdict_of(view, lost);
  finding.ceiling = ceiling_of(view, lost);
  finding.evidence = {
      measured("driver_calls_per_step", mean(driver_calls)),
      measured("driver_ns_per_step", mean(driver_ns)),
      measured("device_free_ns_per_step", mean(a.device_free.call_ns.steady)),
      measured("retry_steps", static_cast<double>(a.retry_steps)),
      derived("allocation_idle_ns", static_cast<double>(idle_ns(view, timeline::IdleClass::Allocation))),
      measured("allocations_per_step", mean(a.device.allocations.steady)),
      measured("allocated_bytes_per_step", mean(a.device.allocated_bytes.steady)),
      measured("reserved_growth_bytes_per_step", static_cast<double>(a.reserved_growth_bytes.per_step)),
  };
  for (const auto& [name, bytes] : {std::pair("peak_allocated_bytes", a.peak_allocated_bytes),
                                    std::pair("peak_reserved_bytes", a.peak_reserved_bytes)}) {
    if (bytes >= 0) {
      finding.evidence.push_back(measured(name, static_cast<double>(bytes)));
    }
  }
  if (const cost::Constant* hit = find_constant(view, "cached_allocation_ns"); hit != nullptr && a.recorded) {
    finding.evidence.push_back(
        assumed("caching_allocator_ns_per_step", hit->expected * mean(a.device.allocations.steady)));
  }
  finding.examples = idle_examples(view, {timeline::IdleClass::Allocation});
  const std::string churn =
      a.recorded && a.device.allocations.steady == 0
          ? std::string("; no allocator record lies in a steady step")
      : a.recorded
          ? fmt::format("; the caching allocator serves {} of {} a step",
                        mean_counted(mean(a.device.allocations.steady), "request", "requests"),
                        format_bytes(static_cast<std::uint64_t>(mean(a.device.allocated_bytes.steady))))
          : std::string("; allocator records are not in the trace (profile_memory=True)");
  if (driver_calls == 0) {
    finding.reason = "no allocation in the step reaches the driver" + churn;
  } else {
    finding.reason = fmt::format(
        "{} a step {} {} of host time on average; the device is idle {} of the {} typical step ({}) for "
        "them{}{}",
        mean_counted(mean(driver_calls), "driver allocation or free", "driver allocations and frees"),
        mean(driver_calls) == 1 ? "takes" : "take",
        format_duration(static_cast<std::int64_t>(mean(driver_ns))), format_duration(lost),
        format_duration(step_ns(view)), format_share(share_of_step(view, lost)),
        a.retry_steps > 0 ? fmt::format("; in {} the allocator gave memory back and asked anew: memory is at "
                                        "its limit",
                                        format_counted(a.retry_steps, "step"))
                          : std::string(),
        churn);
  }
  finding.reasoning = {
      "The caching allocator serves nearly all requests without the driver, at about a microsecond each; a "
      "call that "
      "reaches the driver takes 50 us and more, and a free waits until the device has run dry.",
      fmt::format("Driver calls take {} of host time per step (mean over steady steps); the device was idle "
                  "{} in them. "
                  "Ceiling: {:.2f}x.",
                  format_duration(static_cast<std::int64_t>(mean(driver_ns))),
                  format_duration(idle_ns(view, timeline::IdleClass::Allocation)), *finding.ceiling),
  };
  return finding;
}

}  // namespace

extern const Check kDriverAllocations;
const Check kDriverAllocations{
    "driver_allocations", "Do allocations reach the driver?",
    "keep shapes fixed or lower the peak; PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True; never call "
    "torch.cuda.empty_cache() in the loop",
    "allocation", run};

}  // namespace foretell::checks
