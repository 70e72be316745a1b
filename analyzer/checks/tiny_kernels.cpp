// SPDX-License-Identifier: Apache-2.0
// Kernels too small for the device: time in kernels of a single block that come many in a row / step. They
// keep the device "busy" while nearly all of it is empty.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "analyzer/checks/measure.hpp"
#include "src/base/saturate.hpp"
#include "src/base/text.hpp"

namespace foretell::checks {
namespace {

using namespace profile;

constexpr std::size_t kMany = 10;         // fewer in a row are no pattern
constexpr std::int64_t kTinyNs = 10'000;  // about what the host needs to issue one
constexpr std::int64_t kManyMultiprocessors = 16;

struct Small {
  std::uint64_t count = 0;
  std::int64_t time_ns = 0;
  std::uint32_t first = kNoRow;
};

bool is_one_block(const KernelLaunches& launches, std::uint32_t launch) {
  return launch != kNoRow && launches.grid_x[launch] == 1 && launches.grid_y[launch] <= 1 &&
         launches.grid_z[launch] <= 1;
}

Finding run(const View& view) {
  if (const auto why = unknown_step(view)) {
    return found(Verdict::Unknown, *why);
  }
  const DeviceActivities& activities = view.profile.activities;
  const timeline::Steps& steps = view.timeline.steps;
  std::unordered_map<StringId, Small> by_name;  // kernels of one block in runs of the same name on a stream
  std::vector<std::uint32_t> run;
  std::size_t run_step = 0;
  const auto end_run = [&] {
    if (run.size() >= kMany) {
      Small& small = by_name[activities.name[run.front()]];
      small.first = small.count == 0 ? run.front() : small.first;
      small.count += run.size();
      for (const std::uint32_t row : run) {
        add_saturated(small.time_ns, view.timeline.audit.duration_ns[row]);
      }
    }
    run.clear();
  };
  std::uint64_t kernels = 0;
  std::uint64_t tiny = 0;
  std::uint64_t with_geometry = 0;
  std::int64_t one_block_ns = 0;
  for (std::uint32_t row = 0; row < activities.size(); ++row) {  // by stream, then time
    if (activities.kind[row] != ActivityKind::Kernel || !activities.timed[row] ||
        view.timeline.classes[row] == timeline::KernelClass::Communication) {
      continue;
    }
    const std::size_t step = timeline::step_of_activity(view.profile, view.timeline.links, steps, row);
    if (step == steps.all.size() || steps.all[step].warmup) {
      continue;
    }
    ++kernels;
    tiny += view.timeline.audit.duration_ns[row] < kTinyNs ? 1 : 0;
    with_geometry += activities.launch[row] == kNoRow ? 0 : 1;
    const bool one_block = is_one_block(view.profile.kernel_launches, activities.launch[row]);
    if (!run.empty() &&
        (!one_block || step != run_step || activities.name[row] != activities.name[run.back()] ||
         activities.stream[row] != activities.stream[run.back()])) {
      end_run();
    }
    if (one_block) {
      add_saturated(one_block_ns, view.timeline.audit.duration_ns[row]);
      run.push_back(row);
      run_step = step;
    }
  }
  end_run();
  // per step, as a mean over the devices
  const std::uint64_t steady =
      std::max<std::uint64_t>(steps.steady, 1) * std::max<std::uint64_t>(view.timeline.tiles.size(), 1);
  const std::int64_t multiprocessors = view.device.sm_count ? view.device.sm_count->count() : 0;
  Finding finding;
  std::uint64_t blocks = 0;
  std::int64_t time_ns = 0;
  for (const auto& [name, small] : by_name) {
    blocks += small.count;
    add_saturated(time_ns, small.time_ns);
    finding.examples.push_back(
        {.what = std::string(view.profile.text(name)),
         .where = fmt::format("batchable: {} of 1 block a step",
                              format_counted(small.count / steady, "launch", "launches")),
         .id = activities.correlation[small.first] > 0
                   ? fmt::format("correlation {}", activities.correlation[small.first])
                   : std::string(),
         .count = small.count / steady,
         .time_ns = small.time_ns / static_cast<std::int64_t>(steady)});
  }
  std::ranges::sort(finding.examples, [](const Example& a, const Example& b) {
    return std::tuple(b.time_ns, a.what) < std::tuple(a.time_ns, b.what);
  });
  finding.examples.resize(std::min(finding.examples.size(), kMostExamples));
  // runs of several streams overlap: they can't cost more than the device is busy
  const std::int64_t per_step =
      std::min(time_ns / static_cast<std::int64_t>(steady), view.timeline.split.busy_ns);
  finding.evidence = {
      measured("kernels_per_step", static_cast<double>(kernels) / static_cast<double>(steady)),
      measured("kernels_below_10us_share",
               kernels > 0 ? static_cast<double>(tiny) / static_cast<double>(kernels) : 0),
      measured("one_block_ns_per_step", static_cast<double>(one_block_ns) / static_cast<double>(steady)),
      measured("batchable_kernels_per_step", static_cast<double>(blocks) / static_cast<double>(steady)),
      measured("batchable_ns_per_step", static_cast<double>(per_step)),
  };
  const std::string tiny_share = kernels > 0
                                     ? format_share(static_cast<double>(tiny) / static_cast<double>(kernels))
                                     : std::string("none");
  finding.reasoning = {
      "A kernel of one block uses one multiprocessor; many of one name in a row on a stream ask to be "
      "batched into "
      "one launch.",
      fmt::format(
          "{} of {} kernels are shorter than 10 us; kernels of one block take {} a step, those in runs of at "
          "least {} of one name {}.",
          tiny_share, format_count(kernels),
          format_duration(one_block_ns / static_cast<std::int64_t>(steady)), kMany,
          format_duration(per_step)),
  };
  if (kernels == 0) {
    finding.verdict = Verdict::Clear;
    finding.reason = "no kernel but collectives runs in the steady steps";
    return finding;
  }
  if (with_geometry == 0) {
    finding.verdict = Verdict::Unknown;
    finding.reason =
        fmt::format("launch geometry is not recorded; {} of kernels are shorter than 10 us", tiny_share);
    return finding;
  }
  finding.verdict = multiprocessors > 0 && multiprocessors < kManyMultiprocessors
                        ? Verdict::Clear
                        : verdict_of(view, per_step);
  finding.ceiling = ceiling_of(view, per_step);
  finding.reason =
      finding.verdict == Verdict::Binds
          ? fmt::format(
                "{} of one block a step, one behind the other, take {} of {}, leaving the other "
                "multiprocessors empty: batchable",
                format_counted(blocks / steady, "launch", "launches"), format_duration(per_step),
                format_duration(step_ns(view)))
          : fmt::format(
                "kernels of a single block take {} of the {} step, {} of that in runs of one name; {} of "
                "kernels are shorter than 10 us",
                format_duration(one_block_ns / static_cast<std::int64_t>(steady)),
                format_duration(step_ns(view)), format_duration(per_step), tiny_share);
  return finding;
}

}  // namespace

extern const Check kTinyKernels;
const Check kTinyKernels{"tiny_kernels", "Are kernels too small for the device?",
                         "batch them into one launch (torch.vmap, a batched op, foreach)", "", run};

}  // namespace foretell::checks
