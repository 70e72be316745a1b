// SPDX-License-Identifier: Apache-2.0
#include "analyzer/timeline/links.hpp"

#include <algorithm>
#include <bit>
#include <vector>

namespace foretell::timeline {
namespace {

using namespace profile;

// Id -> row, where several rows may claim one id.
class IdIndex {
 public:
  explicit IdIndex(std::size_t rows)
      : slots_(std::bit_ceil(std::max<std::size_t>(16, rows * 2)), Slot{kNoId, kNoRow}) {}

  struct Slot {
    RecordId id;
    std::uint32_t row;
    bool shared = false;
  };

  // The slot of `id`, free (row == kNoRow) if it is new.
  Slot& slot(RecordId id) {
    std::size_t at = (static_cast<std::size_t>(id) * 0x9E3779B97F4A7C15ULL) >> shift_;
    while (slots_[at].row != kNoRow && slots_[at].id != id) {
      at = (at + 1) & (slots_.size() - 1);
    }
    slots_[at].id = id;
    return slots_[at];
  }

 private:
  std::vector<Slot> slots_;
  int shift_ = 64 - std::countr_zero(slots_.size());
};

// Does a call of this kind make device work? Where two records share a correlation, only one of them does
// (a runtime call and the driver call below it).
bool makes_work(ApiKind kind) {
  return is_launch(kind) || kind == ApiKind::Memcpy || kind == ApiKind::Memset;
}

void link_activities(const Profile& profile, Links& links) {
  const ApiCalls& calls = profile.api_calls;
  const DeviceActivities& activities = profile.activities;
  links.call_of_activity.resize(activities.size(), kNoRow);
  IdIndex by_correlation(calls.size());
  for (std::uint32_t row = 0; row < calls.size(); ++row) {
    const RecordId id = calls.correlation[row];
    if (id == 0 || id == kNoId) {
      continue;
    }
    auto& slot = by_correlation.slot(id);
    if (slot.row == kNoRow) {
      slot.row = row;
    } else if (makes_work(calls.kind[slot.row]) == makes_work(calls.kind[row])) {
      slot.shared = true;
    } else if (makes_work(calls.kind[row])) {
      slot.row = row;
      slot.shared = false;
    }
  }
  std::vector<bool> used(calls.size(), false);
  for (std::uint32_t row = 0; row < activities.size(); ++row) {
    const RecordId id = activities.correlation[row];
    if (id == 0 || id == kNoId) {
      continue;
    }
    const auto& slot = by_correlation.slot(id);
    if (slot.row == kNoRow) {
      continue;
    }
    links.linked_kernels += activities.kind[row] == ActivityKind::Kernel ? 1 : 0;
    used[slot.row] = true;
    if (slot.shared) {
      ++links.ambiguous_activities;
    } else {
      links.call_of_activity[row] = slot.row;
    }
  }
  for (std::uint32_t row = 0; row < calls.size(); ++row) {
    const RecordId id = calls.correlation[row];
    const bool ambiguous =
        id != 0 && id != kNoId && by_correlation.slot(id).shared;  // some call of the id is used
    links.launches_without_activity += is_launch(calls.kind[row]) && !used[row] && !ambiguous ? 1 : 0;
  }
}

bool is_op(HostOpKind kind) { return kind == HostOpKind::Operator || kind == HostOpKind::UserAnnotation; }

// The innermost op on the call's thread that is open when the call starts. Both tables are sorted by thread,
// then start, so one sweep does.
void nest_calls(const Profile& profile, Links& links) {
  const HostOps& ops = profile.host_ops;
  const ApiCalls& calls = profile.api_calls;
  std::uint32_t op = 0;
  std::uint32_t last = kNoRow;  // last op that starts at or before the call
  for (std::uint32_t call = 0; call < calls.size(); ++call) {
    const std::uint32_t thread = calls.thread[call];
    while (op < ops.size() && (ops.thread[op] < thread ||
                               (ops.thread[op] == thread && ops.start_ns[op] <= calls.start_ns[call]))) {
      last = op++;
    }
    if (links.op_of_call[call] != kNoRow || last == kNoRow || ops.thread[last] != thread) {
      continue;
    }
    std::uint32_t open = last;
    while (open != kNoRow &&
           (!is_op(ops.kind[open]) || ops.start_ns[open] + ops.duration_ns[open] < calls.start_ns[call])) {
      open = ops.parent[open];
    }
    links.op_of_call[call] = open;
  }
}

void link_ops(const Profile& profile, Links& links) {
  const HostOps& ops = profile.host_ops;
  const ApiCalls& calls = profile.api_calls;
  const DeviceActivities& activities = profile.activities;
  std::size_t with_id = 0;
  for (std::size_t row = 0; row < ops.size(); ++row) {
    with_id += is_op(ops.kind[row]) && ops.external_id[row] > 0 ? 1 : 0;
  }
  IdIndex by_external_id(with_id);
  for (std::uint32_t row = 0; row < ops.size(); ++row) {
    if (is_op(ops.kind[row]) && ops.external_id[row] != 0 && ops.external_id[row] != kNoId) {
      auto& slot = by_external_id.slot(ops.external_id[row]);
      slot.row = slot.row == kNoRow ? row : slot.row;
    }
  }
  const auto op_with = [&](RecordId id) {
    return id == 0 || id == kNoId ? kNoRow : by_external_id.slot(id).row;
  };
  links.op_of_call.resize(calls.size(), kNoRow);
  for (std::uint32_t row = 0; row < calls.size(); ++row) {
    links.op_of_call[row] = op_with(calls.external_id[row]);
  }
  nest_calls(profile, links);

  links.op_of_activity.resize(activities.size(), kNoRow);
  for (std::uint32_t row = 0; row < activities.size(); ++row) {
    const std::uint32_t call = links.call_of_activity[row];
    if (call == kNoRow) {
      links.op_of_activity[row] = op_with(activities.external_id[row]);
    } else if (calls.kind[call] != ApiKind::GraphLaunch) {
      links.op_of_activity[row] = links.op_of_call[call];
    }
  }
}

}  // namespace

Links link(const Profile& profile) {
  Links links;
  link_activities(profile, links);
  link_ops(profile, links);
  return links;
}

std::vector<std::uint32_t> first_activities(const Profile& profile, const Links& links) {
  const DeviceActivities& activities = profile.activities;
  std::vector<std::uint32_t> first(profile.api_calls.size(), kNoRow);
  for (std::uint32_t row = 0; row < activities.size(); ++row) {
    const std::uint32_t call = links.call_of_activity[row];
    if (call == kNoRow || !activities.timed[row] || activities.kind[row] == ActivityKind::Sync) {
      continue;
    }
    if (first[call] == kNoRow || activities.start_ns[row] < activities.start_ns[first[call]]) {
      first[call] = row;
    }
  }
  return first;
}

}  // namespace foretell::timeline
