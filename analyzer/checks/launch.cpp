// SPDX-License-Identifier: Apache-2.0
// Launch bound: idle time of a device that waits for the next op to be issued / step.
#include <fmt/format.h>

#include <algorithm>

#include "analyzer/checks/measure.hpp"
#include "analyzer/timeline/intervals.hpp"
#include "src/base/text.hpp"

namespace foretell::checks {
namespace {

using timeline::IdleClass;

constexpr double kFewestToGraph = 2;  // a replay of one kernel is a launch
constexpr double kFewestKernels = 3;  // of fewer nothing can be said about a step

// Time of the step in graph mode at best: without the idle time, with the copies of inputs that move, and
// never less than the replay costs the host.
std::int64_t replayed_step_ns(const View& view, std::int64_t idle, std::int64_t copies_ns, double kernels) {
  const cost::Constant* fixed = find_constant(view, "graph_launch_ns");
  const cost::Constant* per_node = find_constant(view, "graph_node_launch_ns");
  const double host_ns =
      (fixed == nullptr ? 0 : fixed->low) + kernels * (per_node == nullptr ? 0 : per_node->low);
  return std::max(step_ns(view) - idle, static_cast<std::int64_t>(host_ns)) + copies_ns;
}

std::int64_t input_copy_ns(const View& view) {
  const cost::Constant* bandwidth = find_constant(view, "dram_achievable_gbps");
  if (!view.input_bytes || bandwidth == nullptr || bandwidth->expected <= 0) {
    return 0;
  }
  return static_cast<std::int64_t>(2 * *view.input_bytes /
                                   bandwidth->expected);  // GB/s = bytes/ns; read + written
}

double steady_median(const View& view, std::uint64_t timeline::Step::* field) {
  std::vector<std::int64_t> values;
  for (const timeline::Step& step : view.timeline.steps.all) {
    if (!step.warmup) {
      values.push_back(static_cast<std::int64_t>(step.*field));
    }
  }
  return static_cast<double>(timeline::median(std::move(values)));
}

Finding run(const View& view) {
  if (const auto why = unknown_step(view)) {
    return found(Verdict::Unknown, *why);
  }
  const timeline::Timeline& t = view.timeline;
  if (t.facts.launch_calls + t.facts.graph_launches == 0) {
    return found(Verdict::Unknown, "no launch call is recorded");
  }
  const std::int64_t idle = idle_ns(view, IdleClass::Launch);
  const double kernels = steady_median(view, &timeline::Step::kernels);
  const double launches = steady_median(view, &timeline::Step::launches);
  const double inflation = host_inflation(view);
  const std::int64_t bare_idle = bare_idle_ns(view, idle);
  const std::int64_t copies = input_copy_ns(view);
  const std::int64_t replayed = replayed_step_ns(view, idle, copies, kernels);

  Finding finding;
  finding.verdict = kernels < kFewestToGraph ? Verdict::Clear : verdict_of(view, step_ns(view) - replayed);
  finding.ceiling =
      static_cast<double>(step_ns(view)) / static_cast<double>(std::max<std::int64_t>(replayed, 1));
  finding.evidence = {
      measured("step_ns", static_cast<double>(step_ns(view))),
      measured("device_busy_ns", static_cast<double>(t.split.busy_ns)),
      derived("launch_idle_ns", static_cast<double>(idle)),
      measured("kernels_per_step", kernels),
      measured("launches_per_step", launches),
      measured("launch_interval_ns", static_cast<double>(t.launch_interval_ns)),
      measured("launch_call_p10_ns", static_cast<double>(t.launches.call_p10_ns)),
      measured("kernel_median_ns", static_cast<double>(t.launches.kernel_median_ns)),
      measured("kernels_shorter_than_launch_share", t.launches.shorter_share),
      measured("queue_delay_median_ns", static_cast<double>(t.launches.delay_median_ns)),
  };
  if (t.split.distortion_ns > 0) {
    finding.evidence.push_back(derived("profiler_distortion_ns", static_cast<double>(t.split.distortion_ns)));
  }
  if (inflation > 1) {
    finding.evidence.push_back(assumed("host_inflation_most", inflation));
    finding.evidence.push_back(derived("launch_idle_least_ns", static_cast<double>(bare_idle)));
  }
  if (copies > 0) {
    finding.evidence.push_back(assumed("input_copy_ns", static_cast<double>(copies)));
  }
  finding.examples = idle_examples(view, {IdleClass::Launch});

  const std::string of_step =
      fmt::format("{} of the {} step ({})", format_duration(idle), format_duration(step_ns(view)),
                  format_share(share_of_step(view, idle)));
  if (finding.verdict == Verdict::Binds && share_of_step(view, bare_idle) < kBindsShare) {
    finding.verdict = Verdict::Unknown;
    finding.reason = fmt::format(
        "the device waits {} for the host to issue ops, but the profiler may have made the host up to "
        "{:.1f}x "
        "slower, and then too little is left of it; a bare step time (--wall-ms) tells",
        of_step, inflation);
  } else if (finding.verdict == Verdict::Binds) {
    finding.reason = fmt::format("the device waits {} for the host, which issues {}{}{}", of_step,
                                 format_counted(static_cast<std::uint64_t>(launches), "launch", "launches"),
                                 launches > 1 ? " one by one" : "",
                                 t.launch_interval_ns > 0
                                     ? fmt::format(", one every {}", format_duration(t.launch_interval_ns))
                                     : std::string());
  } else if (t.graphs.kernels > 0 && t.graphs.kernels * 10 >= t.facts.kernels * 9) {
    finding.reason = fmt::format(
        "{} of the kernels are inside graph replays already: none left to gain",
        format_share(static_cast<double>(t.graphs.kernels) / static_cast<double>(t.facts.kernels)));
  } else if (share_of_step(view, idle) >= kBindsShare && kernels < kFewestToGraph) {
    finding.reason = fmt::format("the device waits {} for the host to issue ops", of_step);
  } else if (share_of_step(view, idle) >= kBindsShare) {
    finding.reason =
        fmt::format("the device waits {} for the host to issue ops, but a replay costs {} at least", of_step,
                    format_duration(replayed));
  } else {
    finding.reason = fmt::format(
        "the device waits {} for the host to issue ops; its queue is {}", of_step,
        t.launches.delay_median_ns > t.launches.kernel_median_ns ? "well filled" : "filled in time");
  }
  if (kernels < kFewestKernels) {
    finding.reason += fmt::format("; {} a step is too little to forecast from, and too small to graph",
                                  format_counted(static_cast<std::uint64_t>(kernels), "kernel"));
  }
  if (copies > 0) {
    finding.reason +=
        fmt::format("; graph mode would add {} for copying its inputs", format_duration(copies));
  }
  finding.reasoning = {
      fmt::format("Self CPU against self CUDA: per step the device works {} and is idle {}.",
                  format_duration(t.split.busy_ns), format_duration(t.split.step_ns - t.split.busy_ns)),
      fmt::format(
          "Of the idle time, {} ended with a kernel that was launched late while its thread was issuing "
          "ops; that is what launching costs. Waiting for data, synchronisations, copies and other host "
          "work are not in it.",
          format_duration(idle)),
      fmt::format("A launch call takes {} (10th percentile) to {} (median); kernels take {} (median); {} are "
                  "shorter than their launch.",
                  format_duration(t.launches.call_p10_ns), format_duration(t.launches.call_median_ns),
                  format_duration(t.launches.kernel_median_ns), format_share(t.launches.shorter_share)),
      fmt::format(
          "From the end of a launch to the start of its kernel pass {} (median): on a full queue that is "
          "slack, not loss.",
          format_duration(t.launches.delay_median_ns)),
      fmt::format("Ceiling: step / max(step - idle, cheapest replay) = {} / {} = {:.2f}x.",
                  format_duration(step_ns(view)), format_duration(replayed), *finding.ceiling),
  };
  return finding;
}

}  // namespace

extern const Check kLaunch;
const Check kLaunch{"launch", "Launch bound?",
                    "capture the step in a CUDA graph: torch.compile(mode=\"reduce-overhead\"), or "
                    "torch.cuda.CUDAGraph by hand; "
                    "a larger batch also hides launches",
                    "launch", run};

}  // namespace foretell::checks
