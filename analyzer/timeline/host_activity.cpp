// SPDX-License-Identifier: Apache-2.0
#include "analyzer/timeline/host_activity.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "src/base/saturate.hpp"

namespace foretell::timeline {
namespace {

using namespace profile;

struct NameRule {
  std::string_view part;  // contained in the name of a host range
  HostDoing doing;
};
// First match wins; what matches none goes by its kind.
constexpr std::array kNameRules{
    NameRule{"DataLoader", HostDoing::Loading},  // enumerate(DataLoader)#..., and frames of its class
    NameRule{"dataloader.py", HostDoing::Loading},
    NameRule{"gloo:", HostDoing::Communicating},  // collectives on the host
    NameRule{"c10d::barrier", HostDoing::Communicating},
    NameRule{"mpi:", HostDoing::Communicating},
    NameRule{"function collect>", HostDoing::CollectingGarbage},  // gc.collect
    NameRule{"method acquire of _thread", HostDoing::Locked},
};

std::int64_t end_of(std::int64_t start_ns, std::int64_t duration_ns) {
  std::int64_t end = start_ns;
  add_saturated(end, std::max<std::int64_t>(duration_ns, 0));
  return end;
}

// Rows of each thread in a table sorted by thread.
template <class Rows>
std::vector<Rows> rows_by_thread(const Column<std::uint32_t>& threads, std::size_t count) {
  std::vector<Rows> rows(count);
  for (std::uint32_t row = 0; row < threads.size(); ++row) {
    Rows& of = rows[threads[row]];
    of.first = of.last == 0 ? row : of.first;
    of.last = row + 1;
  }
  return rows;
}

// The last row of [first, last) that starts before `time_ns` (at it, if `inclusive`), or kNoRow.
std::uint32_t last_started(const Column<std::int64_t>& starts, std::uint32_t first, std::uint32_t last,
                           std::int64_t time_ns, bool inclusive) {
  const auto rows = starts.values().subspan(first, last - first);
  const auto behind =
      inclusive ? std::ranges::upper_bound(rows, time_ns) : std::ranges::lower_bound(rows, time_ns);
  return behind == rows.begin() ? kNoRow : first + static_cast<std::uint32_t>(behind - rows.begin()) - 1;
}

HostDoing doing_of_call(ApiKind kind) {
  switch (kind) {
    case ApiKind::KernelLaunch:
    case ApiKind::GraphLaunch:
    case ApiKind::Other: return HostDoing::Issuing;
    case ApiKind::Memcpy:
    case ApiKind::Memset: return HostDoing::Copying;
    case ApiKind::Synchronize: return HostDoing::Waiting;
    case ApiKind::Allocate:
    case ApiKind::Free: return HostDoing::Allocating;
  }
  return HostDoing::Issuing;
}

}  // namespace

HostActivity::HostActivity(const Profile& profile, std::int64_t foreign_ns)
    : profile_(profile),
      ops_of_(rows_by_thread<Rows>(profile.host_ops.thread, profile.threads.size())),
      calls_of_(rows_by_thread<Rows>(profile.api_calls.thread, profile.threads.size())),
      doing_of_name_(profile.strings.size(), 0) {
  std::vector<std::uint64_t> launches(profile.threads.size(), 0);
  for (std::uint32_t call = 0; call < profile.api_calls.size(); ++call) {
    launches[profile.api_calls.thread[call]] += is_launch(profile.api_calls.kind[call]) ? 1 : 0;
  }
  for (std::uint32_t thread = 0; thread < launches.size(); ++thread) {
    if (has_records(thread) && (main_thread_ == kNoRow || launches[thread] > launches[main_thread_])) {
      main_thread_ = thread;
    }
  }
  const CompileEvents& compiles = profile.compile_events;
  compiling_of_.resize(profile.threads.size());
  for (std::uint32_t row = 0; row < compiles.size(); ++row) {
    if (compiles.kind[row] == CompileKind::Compilation) {
      compiling_of_[compiles.thread[row]].push_back(
          {compiles.start_ns[row], end_of(compiles.start_ns[row], compiles.duration_ns[row])});
    }
  }
  const Overheads& overheads = profile.overheads;
  for (std::uint32_t row = 0; row < overheads.size(); ++row) {
    profiling_.push_back(
        {overheads.start_ns[row], end_of(overheads.start_ns[row], overheads.duration_ns[row])});
  }
  const HostOps& ops = profile.host_ops;
  for (std::uint32_t op = 0; op < ops.size(); ++op) {
    if (ops.kind[op] == HostOpKind::Operator && ops.duration_ns[op] >= foreign_ns && foreign_ns > 0 &&
        launches[ops.thread[op]] == 0) {
      foreign_.push_back({ops.start_ns[op], end_of(ops.start_ns[op], ops.duration_ns[op])});
    }
  }
  merge(profiling_);
  merge(foreign_);
  std::ranges::for_each(compiling_of_, merge);
}

bool HostActivity::has_records(std::uint32_t thread) const {
  return thread < ops_of_.size() && (ops_of_[thread].last > 0 || calls_of_[thread].last > 0);
}

std::uint32_t HostActivity::call_at(std::uint32_t thread, std::int64_t time_ns) const {
  if (thread >= calls_of_.size()) {
    return kNoRow;
  }
  const ApiCalls& calls = profile_.api_calls;
  const Rows& rows = calls_of_[thread];
  const std::uint32_t last = last_started(calls.start_ns, rows.first, rows.last, time_ns, false);
  // a runtime call may hold a driver call that has returned already: look one further back
  for (std::uint32_t back = 0; last != kNoRow && back < 2 && last - back >= rows.first; ++back) {
    const std::uint32_t call = last - back;
    if (end_of(calls.start_ns[call], calls.duration_ns[call]) >= time_ns) {
      return call;
    }
    if (call == rows.first) {
      break;
    }
  }
  return kNoRow;
}

HostDoing HostActivity::doing_of_op(std::uint32_t op) {
  const HostOps& ops = profile_.host_ops;
  std::uint8_t& known = doing_of_name_[index_of(ops.name[op])];
  if (known == 0) {
    const std::string_view name = profile_.text(ops.name[op]);
    const auto rule = std::ranges::find_if(
        kNameRules, [&](const NameRule& row) { return name.find(row.part) != std::string_view::npos; });
    known = static_cast<std::uint8_t>(
        1 + static_cast<std::uint8_t>(rule == kNameRules.end() ? HostDoing::Nothing : rule->doing));
  }
  const auto by_name = static_cast<HostDoing>(known - 1);
  if (by_name != HostDoing::Nothing) {
    return by_name;
  }
  switch (ops.kind[op]) {
    case HostOpKind::Operator: return HostDoing::Issuing;
    case HostOpKind::PythonFunction: return HostDoing::Script;
    case HostOpKind::UserAnnotation:  // says what a stretch is for, not that the host works
    case HostOpKind::Other: return HostDoing::Nothing;
  }
  return HostDoing::Nothing;
}

void HostActivity::put(std::int64_t begin_ns, std::int64_t end_ns, HostDoing doing) {
  begin_ns = std::max(begin_ns, begin_ns_);
  end_ns = std::min(end_ns, end_ns_);
  if (begin_ns < end_ns && doing != HostDoing::Nothing) {
    edges_.push_back({begin_ns, doing, 1});
    edges_.push_back({end_ns, doing, -1});
  }
}

void HostActivity::put_ops(std::uint32_t thread) {
  const HostOps& ops = profile_.host_ops;
  const Rows& rows = ops_of_[thread];
  const std::uint32_t last = last_started(ops.start_ns, rows.first, rows.last, begin_ns_, true);
  for (std::uint32_t op = last; op != kNoRow; op = ops.parent[op]) {
    put(ops.start_ns[op], end_of(ops.start_ns[op], ops.duration_ns[op]), doing_of_op(op));
  }
  for (std::uint32_t op = last == kNoRow ? rows.first : last + 1;
       op < rows.last && ops.start_ns[op] < end_ns_; ++op) {
    put(ops.start_ns[op], end_of(ops.start_ns[op], ops.duration_ns[op]), doing_of_op(op));
  }
}

void HostActivity::put_calls(std::uint32_t thread) {
  const ApiCalls& calls = profile_.api_calls;
  const Rows& rows = calls_of_[thread];
  const std::uint32_t open = call_at(thread, begin_ns_);
  std::uint32_t next = last_started(calls.start_ns, rows.first, rows.last, begin_ns_, false);
  next = next == kNoRow ? rows.first : next + 1;
  for (std::uint32_t call = open == kNoRow ? next : open; call < rows.last && calls.start_ns[call] < end_ns_;
       ++call) {
    put(calls.start_ns[call], end_of(calls.start_ns[call], calls.duration_ns[call]),
        doing_of_call(calls.kind[call]));
  }
}

void HostActivity::put_stretches(const std::vector<Interval>& stretches, HostDoing doing) {
  auto stretch = std::ranges::upper_bound(stretches, begin_ns_, {}, &Interval::end_ns);
  for (; stretch != stretches.end() && stretch->begin_ns < end_ns_; ++stretch) {
    put(stretch->begin_ns, stretch->end_ns, doing);
  }
}

const std::vector<HostStretch>& HostActivity::look(std::uint32_t thread, std::int64_t begin_ns,
                                                   std::int64_t end_ns) {
  begin_ns_ = begin_ns;
  end_ns_ = end_ns;
  edges_.clear();
  stretches_.clear();
  if (begin_ns >= end_ns) {
    return stretches_;
  }
  if (thread < ops_of_.size()) {
    put_ops(thread);
    put_calls(thread);
    put_stretches(compiling_of_[thread], HostDoing::Compiling);
  }
  put_stretches(profiling_, HostDoing::Profiling);
  put_stretches(foreign_, HostDoing::ForeignWork);
  std::ranges::sort(edges_, {}, &Edge::time_ns);

  std::array<int, static_cast<std::size_t>(HostDoing::kCount)> open{};
  std::int64_t at = begin_ns;
  const auto close = [&](std::int64_t until) {
    if (until <= at) {
      return;
    }
    const auto highest = std::find_if(open.rbegin(), open.rend(), [](int count) { return count > 0; });
    const auto doing = static_cast<HostDoing>(highest == open.rend() ? 0 : open.rend() - highest - 1);
    if (!stretches_.empty() && stretches_.back().doing == doing) {
      stretches_.back().end_ns = until;
    } else {
      stretches_.push_back({at, until, doing});
    }
    at = until;
  };
  for (const Edge& edge : edges_) {
    close(edge.time_ns);
    open[static_cast<std::size_t>(edge.doing)] += edge.by;
  }
  close(end_ns);
  return stretches_;
}

}  // namespace foretell::timeline
