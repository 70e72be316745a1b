// SPDX-License-Identifier: Apache-2.0
#include "analyzer/timeline/op_times.hpp"

#include <algorithm>
#include <unordered_map>

#include "src/base/saturate.hpp"

namespace foretell::timeline {

using namespace profile;

Column<std::int64_t> compute_self_times(const HostOps& ops) {
  Column<std::int64_t> self;
  Column<std::int64_t> covered_until;  // per op: its children cover it up to here
  self.resize(ops.size());
  covered_until.resize(ops.size());
  for (std::uint32_t row = 0; row < ops.size(); ++row) {
    self[row] = std::max<std::int64_t>(ops.duration_ns[row], 0);
    covered_until[row] = ops.start_ns[row];
    const std::uint32_t parent = ops.parent[row];
    if (parent == kNoRow) {
      continue;
    }
    // children come in order of their start
    const std::int64_t parent_end = ops.start_ns[parent] + std::max<std::int64_t>(ops.duration_ns[parent], 0);
    const std::int64_t begin = std::max(ops.start_ns[row], covered_until[parent]);
    const std::int64_t end = std::min(ops.start_ns[row] + self[row], parent_end);
    if (end > begin) {
      self[parent] -= end - begin;
      covered_until[parent] = end;
    }
  }
  return self;
}

OpTimes compute_op_times(const Profile& profile, const Links& links, const DurationAudit& audit) {
  OpTimes times;
  const HostOps& ops = profile.host_ops;
  const Column<std::int64_t> self = compute_self_times(ops);
  std::unordered_map<StringId, std::uint32_t> row_of_name;
  const auto entry = [&](std::uint32_t op) -> OpTime& {
    const auto [found, added] =
        row_of_name.try_emplace(ops.name[op], static_cast<std::uint32_t>(times.by_name.size()));
    if (added) {
      times.by_name.push_back({.name = ops.name[op]});
    }
    return times.by_name[found->second];
  };
  for (std::uint32_t op = 0; op < ops.size(); ++op) {
    const std::uint32_t parent = ops.parent[op];
    if (parent != kNoRow && ops.kind[op] == ops.kind[parent]) {
      times.largest_overrun_ns =
          std::max(times.largest_overrun_ns, ops.start_ns[op] + ops.duration_ns[op] - ops.start_ns[parent] -
                                                 std::max<std::int64_t>(ops.duration_ns[parent], 0));
    }
    if (ops.kind[op] == HostOpKind::Operator) {
      OpTime& time = entry(op);
      ++time.calls;
      add_saturated(time.total_ns, std::max<std::int64_t>(ops.duration_ns[op], 0));
      add_saturated(time.self_cpu_ns, self[op]);
    }
  }
  const auto is_operator = [&](std::uint32_t op) {
    return op != kNoRow && ops.kind[op] == HostOpKind::Operator;
  };
  const DeviceActivities& activities = profile.activities;
  for (std::uint32_t row = 0; row < activities.size(); ++row) {
    const std::uint32_t op = links.op_of_activity[row];
    if (activities.kind[row] == ActivityKind::Sync || !is_operator(op)) {
      continue;
    }
    OpTime& time = entry(op);
    add_saturated(time.device_ns, audit.duration_ns[row]);
    time.kernels += activities.kind[row] == ActivityKind::Kernel ? 1 : 0;
  }
  const ApiCalls& calls = profile.api_calls;
  for (std::uint32_t call = 0; call < calls.size(); ++call) {
    if (is_launch(calls.kind[call]) && is_operator(links.op_of_call[call])) {
      ++entry(links.op_of_call[call]).launches;
    }
  }
  std::ranges::sort(times.by_name, [&](const OpTime& a, const OpTime& b) {
    std::int64_t cost_a = a.self_cpu_ns;
    std::int64_t cost_b = b.self_cpu_ns;
    add_saturated(cost_a, a.device_ns);
    add_saturated(cost_b, b.device_ns);
    return cost_a != cost_b ? cost_a > cost_b : profile.text(a.name) < profile.text(b.name);
  });
  for (const std::int64_t duration : profile.overheads.duration_ns) {
    add_saturated(times.overhead_ns, std::max<std::int64_t>(duration, 0));
  }
  return times;
}

}  // namespace foretell::timeline
