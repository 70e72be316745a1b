// SPDX-License-Identifier: Apache-2.0
#include "analyzer/whatif/groups.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <unordered_map>

#include "analyzer/whatif/fusion_member.hpp"
#include "analyzer/whatif/fusion_run.hpp"
#include "src/base/hash.hpp"
#include "src/base/saturate.hpp"

namespace foretell::whatif {
namespace {

using namespace profile;
using timeline::Steps;
using timeline::Timeline;

// Share of the L2 that holds intermediates before the bandwidth drops, as stream sizes were swept on A100 (25
// to 28 of 40 MB), H100 (36 to 40 of 50) and H200 (37 to 48 of 60); the rest goes to other tensors and to the
// mapping of addresses.
constexpr double kUsableL2Share = 0.6;
// Longest gap that is the device's own: what a launch takes to reach an idle device (launch_latency_ns of the
// device file, upper end for NVIDIA). A kernel that was there in time and began later waited for something.
constexpr std::int64_t kLongestOwnGapNs = 10'000;
// Families with names; what the rest saves is in the sums all the same. A report shows a dozen.
constexpr std::size_t kMostFamilies = 1000;

// The steady step an activity belongs to; nullopt: none.
std::optional<std::size_t> steady_step_of(const Profile& profile, const Timeline& timeline,
                                          std::uint32_t row) {
  const Steps& steps = timeline.steps;
  const std::size_t at = timeline::step_of_activity(profile, timeline.links, steps, row);
  return at < steps.all.size() && !steps.all[at].warmup ? std::optional(at) : std::nullopt;
}

// What even an empty kernel takes: no longer than the shortest kernel of the trace (derived), nor than those
// of other traces of the vendor (assumed); 0: neither is known.
std::int64_t find_kernel_floor(const Profile& profile, const Timeline& timeline, const cost::Device& device) {
  constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();
  std::int64_t shortest = kNone;
  for (std::uint32_t row = 0; row < profile.activities.size(); ++row) {
    const std::int64_t duration = timeline.audit.duration_ns[row];
    const bool as_recorded = duration == profile.activities.duration_ns[row];  // not clipped
    if (profile.activities.kind[row] == ActivityKind::Kernel && as_recorded && duration > 0) {
      shortest = std::min(shortest, duration);
    }
  }
  for (const cost::DefaultConstant& row : cost::builtin_device_table().defaults) {
    const bool holds = device.vendor == cost::Vendor::Unknown || row.vendor == device.vendor;
    if (holds && row.constant.name == "kernel_shortest_ns") {
      shortest = std::min(shortest, static_cast<std::int64_t>(row.constant.expected));
    }
  }
  return shortest == kNone ? 0 : shortest;
}

struct SequenceHash {
  std::size_t operator()(const std::vector<StringId>& names) const {
    std::uint64_t hash = kEmptyHash;
    for (const StringId name : names) {
      hash = fnv1a(index_of(name), hash);
    }
    return static_cast<std::size_t>(hash ^ (hash >> 32));
  }
};

// Sums over all steady steps.
struct Family {
  std::size_t example = 0;
  std::uint64_t count = 0;
  double bytes_before = 0, bytes_after = 0;
  std::int64_t device_ns = 0, gap_ns = 0, fused_ns = 0;
  Boundary boundary = Boundary::L2;
  WorkSource source = WorkSource::Recorded;
};

class Finder {
 public:
  Finder(const Profile& profile, const Timeline& timeline, const KernelWork& work, const cost::Device& device)
      : profile_(profile),
        timeline_(timeline),
        reader_(profile, timeline, work),
        kernel_floor_ns_(find_kernel_floor(profile, timeline, device)),
        usable_l2_bytes_(device.l2_bytes ? device.l2_bytes->expected * kUsableL2Share : 0) {}

  FusionGroups run() {
    const DeviceActivities& activities = profile_.activities;
    std::optional<std::size_t> run_step;
    std::uint32_t run_stream = kNoRow;
    for (std::uint32_t row = 0; row < activities.size(); ++row) {
      if (!activities.timed[row]) {
        continue;
      }
      const std::int64_t duration = timeline_.audit.duration_ns[row];
      const bool is_kernel = activities.kind[row] == ActivityKind::Kernel;
      const bool fusible = is_kernel && timeline::is_fusible(timeline_.classes[row]);
      if (!timeline_.steps.device_time_known) {
        add_saturated(unclaimed_ns_, fusible ? duration : 0);
        continue;
      }
      const std::optional<std::size_t> step = steady_step_of(profile_, timeline_, row);
      if (step && activities.kind[row] != ActivityKind::Sync) {
        add_saturated(device_ns_, duration);
        add_saturated(fusible_ns_, fusible ? duration : 0);
      }
      if (!step || !fusible) {
        flush();
        continue;
      }
      const FusionMember member = reader_.read(row);
      if (run_step != step || run_stream != activities.stream[row] || !same_launch_kind(member) ||
          waited(member)) {
        flush();
      }
      if (!run_.extend(member)) {
        flush();
        run_.extend(member);
      }
      run_step = step;
      run_stream = activities.stream[row];
    }
    flush();
    return finish();
  }

 private:
  // A run lies inside one replay or outside of all.
  [[nodiscard]] bool same_launch_kind(const FusionMember& member) const {
    if (run_.members().empty()) {
      return true;
    }
    const FusionMember& last = run_.members().back();
    return last.in_replay == member.in_replay && (!member.in_replay || last.call == member.call);
  }

  // The gap is the device's own, not that of a host that came later, which belongs to the launches.
  [[nodiscard]] bool own_gap(const FusionMember& before, const FusionMember& after) const {
    const bool on_its_way = after.in_replay || (after.call < profile_.api_calls.size() &&
                                                profile_.api_calls.start_ns[after.call] <= before.end_ns);
    return on_its_way && gap_between(before, after) <= kLongestOwnGapNs;
  }

  // The kernel was launched in time and yet began late: it needed another stream, so it can't be one with
  // what ran before.
  [[nodiscard]] bool waited(const FusionMember& member) const {
    if (run_.members().empty() || gap_between(run_.members().back(), member) <= kLongestOwnGapNs) {
      return false;
    }
    if (member.in_replay || member.call >= profile_.api_calls.size()) {
      return member.in_replay;
    }
    std::int64_t launched_ns = profile_.api_calls.start_ns[member.call];
    add_saturated(launched_ns, profile_.api_calls.duration_ns[member.call]);
    return launched_ns <= run_.members().back().end_ns;
  }

  void flush() {
    const std::vector<FusionMember>& members = run_.members();
    if (members.size() == 1 && members.front().in_replay && !members.front().evident) {
      add_saturated(unclaimed_ns_, members.front().duration_ns);
    }
    if (members.size() >= 2) {
      add(run_.group(kernel_floor_ns_, usable_l2_bytes_));
      for (std::size_t i = 1; i < members.size(); ++i) {
        if (own_gap(members[i - 1], members[i])) {
          add_saturated(saved_gap_ns_, gap_between(members[i - 1], members[i]));
        }
      }
      kernels_removed_ += members.size() - 1;
    }
    run_.clear();
  }

  void add(FusionGroup group) {
    names_.clear();
    for (const std::uint32_t row : group.activities) {
      names_.push_back(profile_.activities.name[row]);
    }
    Family& family = families_.try_emplace(names_, Family{.example = groups_.size()}).first->second;
    ++family.count;
    family.bytes_before += group.bytes_before;
    family.bytes_after += group.bytes_after;
    add_saturated(family.device_ns, group.device_ns);
    add_saturated(family.gap_ns, group.gap_ns);
    add_saturated(family.fused_ns, group.fused_ns);
    if (group.boundary == Boundary::Dram) {
      family.boundary = Boundary::Dram;
    }
    family.source = family.source == WorkSource::None || group.bytes_source == WorkSource::None
                        ? WorkSource::None
                        : std::max(family.source, group.bytes_source);
    add_saturated(saved_device_ns_, group.device_ns - group.fused_ns);
    groups_.push_back(std::move(group));
  }

  [[nodiscard]] GroupFamily describe(const Family& family) const {
    const std::vector<std::uint32_t>& rows = groups_[family.example].activities;
    GroupFamily out{.per_step = static_cast<double>(family.count) / static_cast<double>(steps()),
                    .example = family.example,
                    .bytes_before = family.bytes_before / static_cast<double>(steps()),
                    .bytes_after = family.bytes_after / static_cast<double>(steps()),
                    .device_ns = family.device_ns / steps(),
                    .gap_ns = family.gap_ns / steps(),
                    .fused_ns = family.fused_ns / steps(),
                    .boundary = family.boundary,
                    .bytes_source = family.source};
    for (const std::uint32_t row : rows) {
      out.kernels.emplace_back(profile_.text(profile_.activities.name[row]));
    }
    const std::uint32_t op = timeline_.links.op_of_activity[rows.front()];
    if (op < profile_.host_ops.size()) {
      out.op = profile_.text(profile_.host_ops.name[op]);
    }
    return out;
  }

  FusionGroups finish() {
    std::vector<const Family*> order;
    order.reserve(families_.size());
    for (const auto& [names, family] : families_) {
      order.push_back(&family);
    }
    std::ranges::sort(order, [](const Family* a, const Family* b) {
      const std::int64_t saved_a = a->device_ns - a->fused_ns;
      const std::int64_t saved_b = b->device_ns - b->fused_ns;
      return saved_a != saved_b ? saved_a > saved_b : a->example < b->example;  // the hash order is no order
    });
    order.resize(std::min(order.size(), kMostFamilies));
    FusionGroups out;
    for (const Family* family : order) {
      out.families.push_back(describe(*family));
    }
    out.groups = std::move(groups_);
    out.fusible_share =
        device_ns_ > 0 ? static_cast<double>(fusible_ns_) / static_cast<double>(device_ns_) : 0;
    out.device_ns = device_ns_ / steps();
    out.saved_device_ns = saved_device_ns_ / steps();
    out.saved_gap_ns = saved_gap_ns_ / steps();
    out.kernels_removed = static_cast<std::uint64_t>(
        std::llround(static_cast<double>(kernels_removed_) / static_cast<double>(steps())));
    out.unclaimed_ns = timeline_.steps.device_time_known ? unclaimed_ns_ / steps() : unclaimed_ns_;
    return out;
  }

  // What sums are divided by: a family is told per step, as a mean over the devices.
  [[nodiscard]] std::int64_t steps() const {
    return static_cast<std::int64_t>(std::max<std::uint64_t>(timeline_.steps.steady, 1) *
                                     std::max<std::uint64_t>(timeline_.tiles.size(), 1));
  }

  const Profile& profile_;
  const Timeline& timeline_;
  FusionMemberReader reader_;
  std::int64_t kernel_floor_ns_;
  double usable_l2_bytes_;
  FusionRun run_;
  std::vector<FusionGroup> groups_;
  std::unordered_map<std::vector<StringId>, Family, SequenceHash> families_;
  std::vector<StringId> names_;  // of the group at hand
  std::int64_t device_ns_ = 0, fusible_ns_ = 0, unclaimed_ns_ = 0;
  std::int64_t saved_device_ns_ = 0, saved_gap_ns_ = 0;
  std::uint64_t kernels_removed_ = 0;
};

}  // namespace

std::string_view to_string(Boundary boundary) {
  switch (boundary) {
    case Boundary::Dram: return "dram";
    case Boundary::L2: return "l2";
  }
  return "dram";
}

FusionGroups find_groups(const Profile& profile, const Timeline& timeline, const KernelWork& work,
                         const cost::Device& device) {
  return Finder(profile, timeline, work, device).run();
}

}  // namespace foretell::whatif
