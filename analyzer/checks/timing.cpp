// SPDX-License-Identifier: Apache-2.0
// Can times taken on the host be trusted: launches that block, and timers that stop before the device is
// done.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "analyzer/checks/measure.hpp"
#include "src/base/saturate.hpp"
#include "src/base/text.hpp"

namespace foretell::checks {
namespace {

using namespace profile;

// A range whose device work takes twice its own time was not waited for.
constexpr std::int64_t kMuchLonger = 2;

struct RangeWork {
  std::int64_t device_ns = 0;
  bool synchronizes = false;
};

std::uint32_t outermost_range(const HostOps& ops, std::uint32_t op) {
  std::uint32_t range = kNoRow;
  for (; op != kNoRow; op = ops.parent[op]) {
    range = ops.kind[op] == HostOpKind::UserAnnotation ? op : range;
  }
  return range;
}

bool is_the_frameworks(std::string_view name) {
  return name.starts_with("ProfilerStep") || name.starts_with("Optimizer.") ||
         name.starts_with("DistributedDataParallel") || name.starts_with("nccl:") ||
         name.starts_with("gloo:") || name.find('#') != std::string_view::npos;
}

// Outermost ranges of the user that end before their device work does, without a synchronisation in them.
std::vector<Example> unwaited_ranges(const View& view) {
  const HostOps& ops = view.profile.host_ops;
  const timeline::Links& links = view.timeline.links;
  std::unordered_map<std::uint32_t, RangeWork> ranges;
  const ApiCalls& calls = view.profile.api_calls;
  std::vector<std::uint32_t> range_of_call(calls.size(), kNoRow);
  for (std::uint32_t call = 0; call < calls.size(); ++call) {
    range_of_call[call] = outermost_range(ops, links.op_of_call[call]);
    if (range_of_call[call] != kNoRow && calls.kind[call] == ApiKind::Synchronize) {
      ranges[range_of_call[call]].synchronizes = true;
    }
  }
  for (std::uint32_t row = 0; row < view.profile.activities.size(); ++row) {
    const std::uint32_t call = links.call_of_activity[row];
    if (call != kNoRow && range_of_call[call] != kNoRow && view.profile.activities.timed[row] &&
        view.profile.activities.kind[row] != ActivityKind::Sync) {
      add_saturated(ranges[range_of_call[call]].device_ns, view.timeline.audit.duration_ns[row]);
    }
  }
  std::vector<Example> found;
  for (const auto& [range, work] : ranges) {
    const std::string_view name = view.profile.text(ops.name[range]);
    if (work.synchronizes || is_the_frameworks(name) ||
        work.device_ns / kMuchLonger < std::max<std::int64_t>(ops.duration_ns[range], 1)) {
      continue;
    }
    found.push_back(
        {.what = std::string(name),
         .where = fmt::format("range of {} on the host, {} of device work",
                              format_duration(ops.duration_ns[range]), format_duration(work.device_ns)),
         .id = {},
         .count = 1,
         .time_ns = work.device_ns});
  }
  std::ranges::sort(found, [](const Example& a, const Example& b) {
    return std::tuple(b.time_ns, a.what) < std::tuple(a.time_ns, b.what);
  });
  found.resize(std::min(found.size(), kMostExamples));
  return found;
}

Finding run(const View& view) {
  const timeline::Timeline& t = view.timeline;
  Finding finding;
  finding.evidence = {
      measured("blocking_launches", static_cast<double>(t.launches.blocking_launches)),
      measured("kernel_launches", static_cast<double>(t.launches.linked_kernel_launches)),
      measured("device_busy_ns", static_cast<double>(t.split.busy_ns)),
  };
  finding.reasoning = {
      "A launch returns before its kernel is done, so a timer on the host measures the device only if it "
      "stops behind a "
      "synchronisation (torch.cuda.synchronize, or events).",
  };
  finding.examples = unwaited_ranges(view);
  finding.evidence.push_back(measured("unwaited_ranges", static_cast<double>(finding.examples.size())));
  if (launches_block(view)) {
    finding.verdict = Verdict::Binds;
    finding.reason = fmt::format(
        "{} of {} return only when their kernel is done: launches are synchronous "
        "(CUDA_LAUNCH_BLOCKING or a debug mode), the trace is not representative",
        format_count(t.launches.blocking_launches),
        format_counted(t.launches.linked_kernel_launches, "launch", "launches"));
    finding.remedy = "unset CUDA_LAUNCH_BLOCKING and record again";
  } else if (t.split.wall_below_busy && view.wall_ns) {
    finding.verdict = Verdict::Binds;
    finding.reason = fmt::format("reported {} < device {}: the timing lacks a synchronize",
                                 format_duration(*view.wall_ns), format_duration(t.split.busy_ns));
  } else if (!finding.examples.empty()) {
    // a host that runs ahead is what one wants; it is a fault only in a range that is timed, as the one range
    // of a trace without steps is
    const Example& worst = finding.examples.front();
    finding.verdict = t.steps.kind == timeline::StepKind::Whole ? Verdict::Binds : Verdict::Clear;
    finding.reason = fmt::format("'{}' is a {}: a timer around it lacks a synchronize",
                                 ellipsize(printable(worst.what), 40), worst.where);
  } else {
    finding.verdict = Verdict::Clear;
    finding.reason = "launches do not block, and no range of yours ends long before its device work";
  }
  return finding;
}

}  // namespace

extern const Check kTiming;
const Check kTiming{"timing", "Can host timings be trusted?",
                    "call torch.cuda.synchronize() before both clock readings, or time with CUDA events", "",
                    run};

}  // namespace foretell::checks
