// SPDX-License-Identifier: Apache-2.0
#include "analyzer/timeline/host_sync_groups.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <string_view>
#include <tuple>
#include <utility>

#include "analyzer/timeline/source_lines.hpp"
#include "src/base/saturate.hpp"

namespace foretell::timeline {
namespace {

using namespace profile;

void form_groups(const Profile& profile, const Links& links, const Steps& steps, HostSyncs& out) {
  std::map<std::tuple<StringId, StringId, std::string>, std::uint32_t> known;
  for (std::uint32_t index = 0; index < out.all.size(); ++index) {
    HostSync& sync = out.all[index];
    const StringId call_name = profile.api_calls.name[sync.call];
    const StringId op_name = sync.op == kNoRow ? StringId::Empty : profile.host_ops.name[sync.op];
    std::string where = source_line_of_call(profile, links, sync.call);
    if (where == steps.all[sync.step].name) {
      where = profile.text(op_name);  // the step is no place: every wait would be its own group
    }
    const auto [found, added] =
        known.try_emplace({call_name, op_name, where}, static_cast<std::uint32_t>(out.groups.size()));
    if (added) {
      out.groups.push_back({.call_name = call_name, .op_name = op_name, .where = where, .example = index});
    }
    sync.group = found->second;
    HostSyncGroup& group = out.groups[sync.group];
    group.example = sync.wait_ns > out.all[group.example].wait_ns ? index : group.example;
  }
}

StepSum sum_of(const std::vector<std::int64_t>& of_step, std::size_t steady) {
  StepSum sum{.per_step = median_with_zeros(of_step, steady)};
  for (const std::int64_t value : of_step) {
    add_saturated(sum.steady, value);
  }
  sum.total = sum.steady;
  return sum;
}

// Per group the sums of each step that has any, all steps apart being 0.
void sum_groups(const Steps& steps, HostSyncs& out) {
  std::vector<std::uint32_t> order(out.all.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, {}, [&](std::uint32_t index) {
    return std::tuple(out.all[index].group, out.all[index].step, index);
  });
  for (std::size_t at = 0; at < order.size();) {
    HostSyncGroup& group = out.groups[out.all[order[at]].group];
    const std::uint32_t in_group = out.all[order[at]].group;
    std::vector<std::int64_t> count;
    std::vector<std::int64_t> wait;
    std::vector<std::int64_t> busy;
    std::vector<std::int64_t> idle;
    std::size_t reads = 0;
    std::size_t members = 0;
    std::uint32_t step = kNoRow;
    for (; at < order.size() && out.all[order[at]].group == in_group; ++at, ++members) {
      const HostSync& sync = out.all[order[at]];
      if (sync.step != step) {
        step = sync.step;
        count.push_back(0);
        wait.push_back(0);
        busy.push_back(0);
        idle.push_back(0);
      }
      ++count.back();
      add_saturated(wait.back(), sync.wait_ns);
      add_saturated(busy.back(), sync.busy_ns);
      add_saturated(idle.back(), sync.idle_ns);
      reads += sync.host_read ? 1 : 0;
    }
    group.host_read = reads * 2 > members;
    group.count = sum_of(count, steps.steady);
    group.wait_ns = sum_of(wait, steps.steady);
    group.busy_ns = sum_of(busy, steps.steady);
    group.idle_ns = sum_of(idle, steps.steady);
  }
}

void sort_groups(const Profile& profile, HostSyncs& out) {
  std::vector<std::uint32_t> order(out.groups.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, [&](std::uint32_t a, std::uint32_t b) {
    const auto key = [&](const HostSyncGroup& group) {
      return std::tuple(-group.idle_ns.steady, -group.wait_ns.steady, profile.text(group.call_name),
                        std::string_view(group.where), profile.text(group.op_name));
    };
    return key(out.groups[a]) < key(out.groups[b]);
  });
  std::vector<std::uint32_t> place(order.size());
  std::vector<HostSyncGroup> sorted;
  for (std::uint32_t at = 0; at < order.size(); ++at) {
    place[order[at]] = at;
    sorted.push_back(std::move(out.groups[order[at]]));
  }
  out.groups = std::move(sorted);
  for (HostSync& sync : out.all) {
    sync.group = place[sync.group];
  }
}

}  // namespace

void group_host_syncs(const Profile& profile, const Links& links, const Steps& steps, HostSyncs& syncs) {
  form_groups(profile, links, steps, syncs);
  sum_groups(steps, syncs);
  sort_groups(profile, syncs);
}

}  // namespace foretell::timeline
