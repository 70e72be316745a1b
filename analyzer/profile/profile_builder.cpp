// SPDX-License-Identifier: Apache-2.0
#include "analyzer/profile/profile_builder.hpp"

#include <algorithm>
#include <span>
#include <thread>
#include <tuple>
#include <utility>

namespace foretell::profile {
namespace {

struct Keyed {
  std::int64_t start_ns;
  std::uint32_t row;
};

// Row order by group, then start, then `before` (a strict order of rows with equal start), then file order.
template <class Before>
std::vector<std::uint32_t> order_rows(std::span<const std::uint32_t> group, std::size_t groups,
                                      std::span<const std::int64_t> start_ns, Before before) {
  std::vector<std::uint32_t> first(groups + 1, 0);
  for (const std::uint32_t g : group) {
    ++first[g + 1];
  }
  for (std::size_t g = 0; g < groups; ++g) {
    first[g + 1] += first[g];
  }
  std::vector<Keyed> keyed(group.size());
  std::vector<std::uint32_t> next(first.begin(), first.end() - 1);
  for (std::uint32_t row = 0; row < group.size(); ++row) {
    keyed[next[group[row]]++] = {start_ns[row], row};
  }
  const auto less = [&](const Keyed& a, const Keyed& b) {
    if (a.start_ns != b.start_ns) {
      return a.start_ns < b.start_ns;
    }
    if (before(a.row, b.row)) {
      return true;
    }
    return !before(b.row, a.row) && a.row < b.row;
  };
  for (std::size_t g = 0; g < groups; ++g) {
    const auto begin = keyed.begin() + first[g];
    const auto end = keyed.begin() + first[g + 1];
    if (!std::is_sorted(begin, end, less)) {
      std::sort(begin, end, less);
    }
  }
  std::vector<std::uint32_t> order(keyed.size());
  std::ranges::transform(keyed, order.begin(), &Keyed::row);
  return order;
}

template <class... Columns>
void gather_all(std::span<const std::uint32_t> order, Columns&... columns) {
  if (!std::ranges::is_sorted(order)) {
    (columns.gather(order), ...);
  }
}

std::int64_t end_of(const HostOps& ops, std::uint32_t row) {
  return ops.start_ns[row] + std::max<std::int64_t>(ops.duration_ns[row], 0);
}

// Ties at one start: longer first, then one X record before a B/E pair, then by name; so the tree does not
// depend on the order of the file.
void sort_host_ops(Profile& profile) {
  HostOps& ops = profile.host_ops;
  const auto order =
      order_rows(ops.thread.values(), profile.threads.size(), ops.start_ns.values(),
                 [&](std::uint32_t a, std::uint32_t b) {
                   if (ops.duration_ns[a] != ops.duration_ns[b]) {
                     return ops.duration_ns[a] > ops.duration_ns[b];
                   }
                   if (ops.from_begin_end[a] != ops.from_begin_end[b]) {
                     return !ops.from_begin_end[a];
                   }
                   return ops.name[a] != ops.name[b] && profile.text(ops.name[a]) < profile.text(ops.name[b]);
                 });
  gather_all(order, ops.start_ns, ops.duration_ns, ops.external_id, ops.name, ops.thread, ops.detail,
             ops.kind, ops.from_begin_end);
}

// parent: the innermost range on the thread that is still open when the row starts. A row that ends after its
// parent stays its child.
std::uint64_t nest_host_ops(HostOps& ops) {
  std::uint64_t clipped = 0;
  ops.parent.resize(ops.size(), kNoRow);
  std::vector<std::uint32_t> open;
  for (std::uint32_t row = 0; row < ops.size(); ++row) {
    if (row > 0 && ops.thread[row] != ops.thread[row - 1]) {
      open.clear();
    }
    while (!open.empty() && end_of(ops, open.back()) <= ops.start_ns[row]) {
      open.pop_back();
    }
    if (!open.empty()) {
      ops.parent[row] = open.back();
      // ranges of different kinds need not nest: a step may open inside the frame that marks it
      clipped +=
          ops.kind[row] == ops.kind[open.back()] && end_of(ops, row) > end_of(ops, open.back()) ? 1 : 0;
    }
    open.push_back(row);
  }
  return clipped;
}

void sort_api_calls(Profile& profile) {
  ApiCalls& calls = profile.api_calls;
  const auto order = order_rows(calls.thread.values(), profile.threads.size(), calls.start_ns.values(),
                                [](std::uint32_t, std::uint32_t) { return false; });
  gather_all(order, calls.start_ns, calls.duration_ns, calls.correlation, calls.external_id, calls.name,
             calls.thread, calls.kind);
}

void sort_activities(Profile& profile) {
  DeviceActivities& rows = profile.activities;
  const auto order =
      order_rows(rows.stream.values(), profile.streams.size(), rows.start_ns.values(),
                 [&](std::uint32_t a, std::uint32_t b) { return !rows.timed[a] && rows.timed[b]; });
  gather_all(order, rows.start_ns, rows.duration_ns, rows.correlation, rows.external_id, rows.graph_id,
             rows.graph_node_id, rows.bytes, rows.name, rows.stream, rows.launch, rows.kind, rows.timed);
}

void count_dangling_flows(Profile& profile) {
  std::vector<std::pair<RecordId, bool>> ends;
  ends.reserve(profile.flows.size());
  for (std::size_t row = 0; row < profile.flows.size(); ++row) {
    ends.emplace_back(profile.flows.id[row], profile.flows.is_start[row]);
  }
  std::ranges::sort(ends);
  for (std::size_t row = 0; row < ends.size();) {
    std::size_t next = row;
    bool start = false;
    bool end = false;
    for (; next < ends.size() && ends[next].first == ends[row].first; ++next) {
      (ends[next].second ? start : end) = true;
    }
    if (start != end) {
      profile.stats.count(Stat::DanglingFlows);
    }
    row = next;
  }
}

}  // namespace

std::uint32_t ProfileBuilder::thread(const TrackId& pid, const TrackId& tid) {
  const auto matches = [&](std::uint32_t row) {
    return profile_.threads[row].pid == pid && profile_.threads[row].tid == tid;
  };
  if (last_thread_ != kNoRow && matches(last_thread_)) {
    return last_thread_;
  }
  auto& rows = threads_[{pid.number ^ (std::int64_t{index_of(pid.text)} << 32),
                         tid.number ^ (std::int64_t{index_of(tid.text)} << 32)}];
  for (const std::uint32_t row : rows) {
    if (matches(row)) {
      return last_thread_ = row;
    }
  }
  last_thread_ = static_cast<std::uint32_t>(profile_.threads.size());
  rows.push_back(last_thread_);
  profile_.threads.push_back({pid, tid});
  return last_thread_;
}

std::uint32_t ProfileBuilder::device(std::int64_t id) {
  const auto [entry, added] = devices_.try_emplace(id, static_cast<std::uint32_t>(profile_.devices.size()));
  if (added) {
    profile_.devices.push_back({.id = id});
  }
  return entry->second;
}

std::uint32_t ProfileBuilder::stream(std::int64_t device_id, std::int64_t stream_id) {
  if (last_stream_ != kNoRow) {
    const Stream& last = profile_.streams[last_stream_];
    if (last.id == stream_id && profile_.devices[last.device].id == device_id) {
      return last_stream_;
    }
  }
  const auto [entry, added] =
      streams_.try_emplace({device_id, stream_id}, static_cast<std::uint32_t>(profile_.streams.size()));
  if (added) {
    profile_.streams.push_back({device(device_id), stream_id});
  }
  return last_stream_ = entry->second;
}

void ProfileBuilder::begin_range(std::int64_t time_ns, StringId name, std::uint32_t thread, HostOpKind kind) {
  half_ranges_.push_back({time_ns, name, thread, kind, false});
}

void ProfileBuilder::end_range(std::int64_t time_ns, StringId name, std::uint32_t thread) {
  half_ranges_.push_back({time_ns, name, thread, HostOpKind::Other, true});
}

void ProfileBuilder::cover(std::int64_t first_ns, std::int64_t last_ns) {
  TraceInfo& info = profile_.info;
  info.first_ns = info.first_ns ? std::min(*info.first_ns, first_ns) : first_ns;
  info.last_ns = info.last_ns ? std::max(*info.last_ns, last_ns) : last_ns;
}

// At one time stamp: ends close what opened earlier, then the begins, then the ends of empty ranges.
void ProfileBuilder::pair_half_ranges() {
  constexpr std::size_t kDeepest =
      256;  // how far out an end looks for its begin; bounds the work on broken input
  std::ranges::stable_sort(half_ranges_, {}, [&](const HalfRange& half) {
    return std::tuple(half.thread, half.time_ns, !half.is_end, profile_.text(half.name));
  });
  std::vector<HalfRange> open;
  std::vector<HalfRange> later_ends;
  const auto close = [&](const HalfRange& end) {
    const auto outermost = open.rbegin() + static_cast<std::ptrdiff_t>(std::min(open.size(), kDeepest));
    const auto match = std::find_if(open.rbegin(), outermost, [&](const HalfRange& begin) {
      return end.name == StringId::Empty || begin.name == end.name;
    });
    if (match == outermost) {
      return false;
    }
    HostOps& ops = profile_.host_ops;
    ops.append({.start_ns = match->time_ns,
                .duration_ns = end.time_ns - match->time_ns,
                .name = match->name,
                .thread = match->thread,
                .kind = match->kind,
                .from_begin_end = true});
    cover(match->time_ns, end.time_ns);
    open.erase(std::next(match).base());
    return true;
  };
  const auto close_later = [&] {
    for (const HalfRange& end : later_ends) {
      profile_.stats.count(Stat::UnmatchedEnd, close(end) ? 0 : 1);
    }
    later_ends.clear();
  };
  const auto drop_open = [&] {
    profile_.stats.count(Stat::UnmatchedBegin, open.size());
    open.clear();
  };
  for (std::size_t i = 0; i < half_ranges_.size(); ++i) {
    const HalfRange& half = half_ranges_[i];
    if (i > 0 && half_ranges_[i - 1].thread != half.thread) {
      close_later();
      drop_open();
    } else if (i > 0 && half_ranges_[i - 1].time_ns != half.time_ns) {
      close_later();
    }
    if (!half.is_end) {
      open.push_back(half);
    } else if (!close(half)) {
      later_ends.push_back(half);
    }
  }
  close_later();
  drop_open();
  half_ranges_.clear();
}

std::size_t ProfileBuilder::allocated_bytes() const {
  const Profile& p = profile_;
  const auto sum = [](const auto&... columns) { return (columns.allocated_bytes() + ...); };
  return sum(p.host_ops.start_ns, p.host_ops.duration_ns, p.host_ops.external_id, p.host_ops.name,
             p.host_ops.thread, p.host_ops.detail, p.host_ops.kind, p.host_ops.from_begin_end) +
         sum(p.op_details.input_dims, p.op_details.input_types, p.op_details.concrete_inputs,
             p.op_details.input_strides, p.op_details.call_stack, p.op_details.module_hierarchy,
             p.op_details.sequence_number, p.op_details.forward_thread) +
         sum(p.api_calls.start_ns, p.api_calls.duration_ns, p.api_calls.correlation, p.api_calls.external_id,
             p.api_calls.name, p.api_calls.thread, p.api_calls.kind) +
         sum(p.activities.start_ns, p.activities.duration_ns, p.activities.correlation,
             p.activities.external_id, p.activities.graph_id, p.activities.graph_node_id, p.activities.bytes,
             p.activities.name, p.activities.stream, p.activities.launch, p.activities.kind,
             p.activities.timed) +
         p.kernel_launches.grid_x.allocated_bytes() * 9 + p.memory_events.time_ns.allocated_bytes() * 6 +
         (p.step_markers.start_ns.allocated_bytes() + p.compile_events.start_ns.allocated_bytes() +
          p.device_annotations.start_ns.allocated_bytes() + p.overheads.start_ns.allocated_bytes() +
          p.communications.in_elements.allocated_bytes()) *
             3 +
         p.threads.capacity() * sizeof(Thread) + p.streams.capacity() * sizeof(Stream) +
         p.devices.capacity() * sizeof(Device) + p.flows.id.allocated_bytes() +
         p.flows.is_start.allocated_bytes() + p.strings.allocated_bytes() +
         half_ranges_.capacity() * sizeof(HalfRange);
}

Profile ProfileBuilder::finish() {
  pair_half_ranges();
  {
    const std::jthread host([&] { sort_host_ops(profile_); });
    sort_api_calls(profile_);
    sort_activities(profile_);
    count_dangling_flows(profile_);
  }
  profile_.stats.count(Stat::ClippedChildren, nest_host_ops(profile_.host_ops));
  const DeviceActivities& activities = profile_.activities;
  for (std::size_t row = 0; row < activities.size(); ++row) {
    const bool works = activities.kind[row] != ActivityKind::Sync;
    profile_.devices[profile_.streams[activities.stream[row]].device].work_records += works ? 1 : 0;
  }
  return std::move(profile_);
}

}  // namespace foretell::profile
