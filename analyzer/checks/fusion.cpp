// SPDX-License-Identifier: Apache-2.0
// Anything to fuse: time that one kernel per group would save / step.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "analyzer/checks/measure.hpp"
#include "analyzer/timeline/kernel_name.hpp"
#include "src/base/saturate.hpp"
#include "src/base/text.hpp"

namespace foretell::checks {
namespace {

Example example_of(const View& view, const whatif::GroupFamily& family) {
  Example example;
  std::vector<std::string> names;
  for (const std::string& name : family.kernels) {
    names.push_back(ellipsize(printable(timeline::short_kernel_name(name)), 40));
  }
  constexpr std::size_t kNamed = 4;
  const std::size_t more = names.size() > kNamed ? names.size() - kNamed : 0;
  names.resize(std::min(names.size(), kNamed));
  example.what =
      fmt::format("{}{}", fmt::join(names, " + "), more > 0 ? fmt::format(" + {} more", more) : "");
  example.where = family.op;
  const std::uint32_t first = view.groups.groups[family.example].activities.front();
  const profile::RecordId correlation = view.profile.activities.correlation[first];
  example.id = correlation > 0 ? fmt::format("correlation {}", correlation) : std::string();
  example.count = static_cast<std::uint64_t>(std::llround(family.per_step));
  example.time_ns = family.device_ns + family.gap_ns - family.fused_ns;
  return example;
}

// Says whether the groups' intermediates reached the memory whose bandwidth is scarce.
std::string residency(const std::vector<whatif::GroupFamily>& families) {
  std::int64_t in_l2 = 0;
  std::int64_t all = 0;
  for (const whatif::GroupFamily& family : families) {
    add_saturated(all, family.device_ns);
    add_saturated(in_l2, family.boundary == whatif::Boundary::L2 ? family.device_ns : 0);
  }
  if (all == 0 || in_l2 < all - in_l2) {
    return "their intermediates go through DRAM";
  }
  return "most of their intermediates stay in the L2 cache, so DRAM traffic is not what fusion would save";
}

Finding run(const View& view) {
  if (const auto why = unknown_step(view)) {
    return found(Verdict::Unknown, *why);
  }
  const whatif::FusionGroups& groups = view.groups;
  // kernels of several streams overlap: their sum shrinks to the time in which any of them runs
  const std::int64_t kernels_ns =
      view.timeline.split.busy[static_cast<std::size_t>(timeline::BusyClass::Kernels)];
  const double overlap = groups.device_ns > kernels_ns
                             ? static_cast<double>(kernels_ns) / static_cast<double>(groups.device_ns)
                             : 1.0;
  const std::int64_t saved =
      static_cast<std::int64_t>(static_cast<double>(groups.saved_device_ns) * overlap) +
      std::min(groups.saved_gap_ns, view.timeline.split.step_ns - view.timeline.split.busy_ns);
  double before = 0;
  double after = 0;
  for (const whatif::GroupFamily& family : groups.families) {
    before += family.bytes_before;
    after += family.bytes_after;
  }
  Finding finding;
  finding.verdict = verdict_of(view, saved);
  finding.ceiling = ceiling_of(view, saved);
  finding.evidence = {
      measured("fusible_share", groups.fusible_share),
      derived("kernels_removed_per_step", static_cast<double>(groups.kernels_removed)),
      derived("bytes_before_per_step", before),
      derived("bytes_after_per_step", after),
      derived("saved_device_ns", static_cast<double>(groups.saved_device_ns)),
      derived("saved_gap_ns", static_cast<double>(groups.saved_gap_ns)),
      measured("unclaimed_ns", static_cast<double>(groups.unclaimed_ns)),
  };
  for (const whatif::GroupFamily& family : groups.families) {
    if (finding.examples.size() < kMostExamples) {
      finding.examples.push_back(example_of(view, family));
    }
  }
  const std::string share = format_share(groups.fusible_share);
  if (groups.families.empty()) {
    finding.reason = fmt::format(
        "no two neighbouring kernels could be fused; fusible kernels are {} of device time", share);
  } else {
    const std::string moved = fmt::format(
        "fusing neighbouring kernels would remove {} of a step and move {} instead of {}: at most {} of {}; "
        "{}",
        format_counted(groups.kernels_removed, "kernel"), format_bytes(static_cast<std::uint64_t>(after)),
        format_bytes(static_cast<std::uint64_t>(before)), format_duration(saved),
        format_duration(step_ns(view)), residency(groups.families));
    finding.reason =
        finding.verdict == Verdict::Binds
            ? fmt::format("the device works {} of the step, {} of that in kernels that can be fused; {}",
                          format_share(share_of_step(view, view.timeline.split.busy_ns)), share, moved)
            : moved;
  }
  if (groups.unclaimed_ns > 0) {
    finding.reason += fmt::format(
        "; {} of device time is inside graph replays without op names and shapes, of which "
        "nothing is claimed",
        format_duration(groups.unclaimed_ns));
  }
  finding.reasoning = {
      "A group is a run of neighbouring fusible kernels on one stream with equal extents; a trace has no "
      "tensor ids, "
      "so which kernel reads what is taken from the order. Matrix multiplications, attention, gathers and "
      "collectives "
      "end a group, and so does a kernel that a compiler made.",
      fmt::format("Bytes behind are those of the first read and the last write and of side inputs: {} "
                  "instead of {} per "
                  "step.",
                  format_bytes(static_cast<std::uint64_t>(after)),
                  format_bytes(static_cast<std::uint64_t>(before))),
      fmt::format(
          "The time of a group's one kernel is its measured time x bytes behind / bytes before, never below "
          "the shortest kernel: {} saved on the device, and {} of gaps between its kernels.",
          format_duration(groups.saved_device_ns), format_duration(groups.saved_gap_ns)),
      fmt::format("Ceiling: step / (step - saved) = {} / {} = {:.2f}x.", format_duration(step_ns(view)),
                  format_duration(step_ns(view) - saved), *finding.ceiling),
  };
  return finding;
}

}  // namespace

extern const Check kFusion;
const Check kFusion{
    "fusion", "Anything to fuse?",
    "torch.compile() fuses these chains; by hand, use a fused op (torch.nn.functional, a Triton "
    "kernel, optimizer with fused=True)",
    "traffic", run};

}  // namespace foretell::checks
