// SPDX-License-Identifier: Apache-2.0
//
//   host      ..launch k1..            sync.......|   ops   |..launch k2..
//   device          [ k1          ]               |                  [ k2 ]
//   idle                           <--- sync, since the wait began before k1 ended --->
//
// A gap is looked at from the activity that ends it: was that one issued in time (Queue), and if not, what
// did its thread do meanwhile?
#include "analyzer/timeline/idle.hpp"

#include <algorithm>
#include <tuple>

#include "analyzer/timeline/copies.hpp"
#include "analyzer/timeline/dispatch.hpp"
#include "analyzer/timeline/host_activity.hpp"
#include "analyzer/timeline/intervals.hpp"

namespace foretell::timeline {
namespace {

using namespace profile;

// Between two activities of a full queue lie about 1 us on NVIDIA; a dependency across streams costs some
// more.
constexpr std::int64_t kLongestQueueGapNs = 20'000;

struct Gap {
  std::int64_t begin_ns = 0, end_ns = 0;
  std::uint32_t previous = kNoRow, next = kNoRow;  // activities
};

class Attribution {
 public:
  Attribution(const Profile& profile, const Links& links, const DurationAudit& audit,
              const Column<KernelClass>& classes, std::int64_t step_ns)
      : p_(profile),
        links_(links),
        audit_(audit),
        classes_(classes),
        host_(profile, step_ns / 2),
        dispatch_(measure_dispatch(profile, links)) {}

  DeviceTiles run(std::uint32_t device) {
    out_ = {.device = device, .tiles = {}};
    gather(device);
    const std::int64_t first = *p_.info.first_ns;
    const std::int64_t last = std::max(*p_.info.last_ns, first);
    std::array<int, static_cast<std::size_t>(BusyClass::kCount)> open{};
    std::int64_t at = first;
    std::uint32_t previous = kNoRow;
    std::size_t edge = 0;
    while (edge < edges_.size()) {
      const std::int64_t time = std::clamp(edges_[edge].time_ns, first, last);
      if (time > at) {
        if (const auto kind = std::ranges::find_if(open, [](int count) { return count > 0; });
            kind != open.end()) {
          out_.tiles.push_back(
              {.begin_ns = at, .end_ns = time, .busy_class = static_cast<BusyClass>(kind - open.begin())});
        } else {
          explain({at, time, previous, edges_[edge].activity});
        }
        at = time;
      }
      const Edge& change = edges_[edge++];
      open[static_cast<std::size_t>(change.kind)] += change.by;
      previous = change.by < 0 ? change.activity : previous;
    }
    if (last > at) {
      explain({at, last, previous, kNoRow});
    }
    return std::move(out_);
  }

 private:
  struct Edge {
    std::int64_t time_ns = 0;
    int by = 0;
    BusyClass kind = BusyClass::Kernels;
    std::uint32_t activity = kNoRow;
  };

  // Starts and ends of the device's work in order of time; at one time starts come first.
  void gather(std::uint32_t device) {
    edges_.clear();
    waits_.clear();
    const DeviceActivities& activities = p_.activities;
    for (std::uint32_t row = 0; row < activities.size(); ++row) {
      if (!activities.timed[row] || p_.streams[activities.stream[row]].device != device) {
        continue;
      }
      const std::int64_t begin = activities.start_ns[row];
      const std::int64_t end = begin + audit_.duration_ns[row];
      if (activities.kind[row] == ActivityKind::Sync) {
        waits_.push_back({begin, end});
      } else if (end > begin) {
        const BusyClass kind = activities.kind[row] != ActivityKind::Kernel  ? BusyClass::Copies
                               : classes_[row] == KernelClass::Communication ? BusyClass::Communication
                                                                             : BusyClass::Kernels;
        edges_.push_back({begin, 1, kind, row});
        edges_.push_back({end, -1, kind, row});
      }
    }
    std::ranges::sort(edges_, [](const Edge& a, const Edge& b) {
      return std::tuple(a.time_ns, -a.by, a.activity) < std::tuple(b.time_ns, -b.by, b.activity);
    });
    std::ranges::sort(waits_, {}, &Interval::begin_ns);
  }

  void put(std::int64_t begin_ns, std::int64_t end_ns, IdleClass idle_class, const Gap& gap,
           std::uint32_t call = kNoRow) {
    if (begin_ns >= end_ns) {
      return;
    }
    if (!out_.tiles.empty()) {
      Tile& last = out_.tiles.back();
      if (last.idle && last.idle_class == idle_class && last.next == gap.next && last.call == call &&
          last.end_ns == begin_ns) {
        last.end_ns = end_ns;
        return;
      }
    }
    out_.tiles.push_back({.begin_ns = begin_ns,
                          .end_ns = end_ns,
                          .idle = true,
                          .idle_class = idle_class,
                          .next = gap.next,
                          .call = call});
  }

  void explain(const Gap& gap) {
    const std::uint32_t call = gap.next == kNoRow ? kNoRow : links_.call_of_activity[gap.next];
    if (call == kNoRow) {
      without_launch(gap);
      return;
    }
    const ApiCalls& calls = p_.api_calls;
    const bool same_replay = calls.kind[call] == ApiKind::GraphLaunch && gap.previous != kNoRow &&
                             links_.call_of_activity[gap.previous] == call;
    const std::int64_t issued = calls.start_ns[call];
    const std::int64_t returned = issued + std::max<std::int64_t>(calls.duration_ns[call], 0);
    if (same_replay || gap.begin_ns >= std::max(issued + dispatch_.latency_ns, returned)) {
      queued(gap.begin_ns, gap);
      return;
    }
    const std::int64_t starved_until = std::min(gap.end_ns, std::max(returned, issued) + kLongestLatencyNs);
    starved(gap, calls.thread[call], std::clamp(issued, gap.begin_ns, gap.end_ns), starved_until, call);
    queued(starved_until, gap);
  }

  // From `begin_ns` on the next activity was issued, but did not start.
  void queued(std::int64_t begin_ns, const Gap& gap) {
    const std::int64_t length = gap.end_ns - begin_ns;
    if (length <= 0) {
      return;
    }
    if (length <= kLongestQueueGapNs) {
      put(begin_ns, gap.end_ns, IdleClass::Queue, gap);
    } else if (waits_for_event(begin_ns, gap.end_ns)) {
      put(begin_ns, gap.end_ns, IdleClass::OtherStream, gap);
    } else if (const std::uint32_t copy = copy_under_way(begin_ns, gap); copy != kNoRow) {
      put(begin_ns, gap.end_ns, IdleClass::Copy, gap, copy);
    } else {
      put(begin_ns, gap.end_ns, IdleClass::UnknownWait, gap);
    }
  }

  // The copy call that held the launching thread for at least half of the stretch, or kNoRow.
  [[nodiscard]] std::uint32_t copy_under_way(std::int64_t begin_ns, const Gap& gap) {
    const std::uint32_t thread = p_.api_calls.thread[links_.call_of_activity[gap.next]];
    for (const HostStretch& stretch : host_.look(thread, begin_ns, gap.end_ns)) {
      if (stretch.doing == HostDoing::Copying &&
          stretch.end_ns - stretch.begin_ns >= (gap.end_ns - begin_ns) / 2) {
        return host_.call_at(thread, stretch.end_ns);
      }
    }
    return kNoRow;
  }

  // A stream wait is recorded that covers at least half of the stretch.
  [[nodiscard]] bool waits_for_event(std::int64_t begin_ns, std::int64_t end_ns) const {
    auto wait = std::ranges::lower_bound(waits_, end_ns, {}, &Interval::begin_ns);
    for (int back = 0; back < 8 && wait != waits_.begin(); ++back) {
      --wait;
      if (std::min(wait->end_ns, end_ns) - std::max(wait->begin_ns, begin_ns) >= (end_ns - begin_ns) / 2) {
        return true;
      }
    }
    return false;
  }

  void without_launch(const Gap& gap) {
    if (gap.next != kNoRow && gap.end_ns - gap.begin_ns <= kLongestQueueGapNs) {
      put(gap.begin_ns, gap.end_ns, IdleClass::Queue, gap);  // launched before the trace begins
      return;
    }
    const std::uint32_t thread = host_.main_thread();
    if (thread == kNoRow) {
      put(gap.begin_ns, gap.end_ns, IdleClass::Unattributed, gap);
      return;
    }
    starved(gap, thread, gap.end_ns, gap.end_ns, kNoRow);
  }

  // The device ran dry: nothing was issued until `issued_ns`; until `until_ns` the launch is under way.
  void starved(const Gap& gap, std::uint32_t thread, std::int64_t issued_ns, std::int64_t until_ns,
               std::uint32_t launch) {
    Drain drain = drained_by(thread, gap);
    const std::vector<HostStretch>& stretches = host_.look(thread, gap.begin_ns, issued_ns);
    std::int64_t issuing_ns = until_ns - issued_ns;
    std::int64_t script_ns = 0;
    for (const HostStretch& stretch : stretches) {
      issuing_ns += stretch.doing <= HostDoing::Issuing ? stretch.end_ns - stretch.begin_ns : 0;
      script_ns += stretch.doing == HostDoing::Script ? stretch.end_ns - stretch.begin_ns : 0;
    }
    const bool replay = launch != kNoRow && p_.api_calls.kind[launch] == ApiKind::GraphLaunch;
    const bool issuing = launch != kNoRow && !replay &&
                         issuing_ns - drain.budget_ns <= dispatch_.longest_issue_ns &&
                         script_ns - drain.budget_ns <= kShortestHostWorkNs;
    for (const HostStretch& stretch : stretches) {
      if (stretch.doing <= HostDoing::Issuing) {
        put_issuing(stretch.begin_ns, stretch.end_ns, drain, class_of_issuing(stretch, issuing), gap);
      } else {
        put(stretch.begin_ns, stretch.end_ns, class_of(stretch, launch), gap,
            stretch.doing >= HostDoing::Copying ? host_.call_at(thread, stretch.end_ns) : kNoRow);
      }
    }
    IdleClass under_way = issuing ? IdleClass::Launch : IdleClass::Host;
    if (!stretches.empty() && stretches.back().doing == HostDoing::ForeignWork) {
      under_way = IdleClass::Host;
    } else if (launch != kNoRow && p_.api_calls.kind[launch] == ApiKind::Memcpy && holds_host(launch)) {
      put(issued_ns, until_ns, IdleClass::Copy, gap, launch);
      return;
    }
    put_issuing(issued_ns, until_ns, drain, under_way, gap);
  }

  // Why the device ran dry before the host had issued more, and how much later than it could have the host
  // went on: the time it had spent waiting. Had it not waited, it would have been that much ahead, and no
  // more.
  struct Drain {
    IdleClass by = IdleClass::Unattributed;
    std::int64_t budget_ns = 0;
  };

  void put_issuing(std::int64_t begin_ns, std::int64_t end_ns, Drain& drain, IdleClass otherwise,
                   const Gap& gap) {
    const std::int64_t drained_ns = std::min(drain.budget_ns, end_ns - begin_ns);
    put(begin_ns, begin_ns + drained_ns, drain.by, gap);
    put(begin_ns + drained_ns, end_ns, otherwise, gap);
    drain.budget_ns -= drained_ns;
  }

  [[nodiscard]] IdleClass class_of_issuing(const HostStretch& stretch, bool issuing) const {
    if (issuing) {
      return IdleClass::Launch;
    }
    const bool silent =
        stretch.doing == HostDoing::Nothing && stretch.end_ns - stretch.begin_ns > dispatch_.longest_issue_ns;
    return silent ? IdleClass::UnknownWait : IdleClass::Host;
  }

  [[nodiscard]] IdleClass class_of(const HostStretch& stretch, std::uint32_t launch) const {
    switch (stretch.doing) {
      case HostDoing::CollectingGarbage: return IdleClass::GarbageCollection;
      case HostDoing::Locked: return IdleClass::Lock;
      case HostDoing::Communicating: return IdleClass::Communication;
      case HostDoing::Loading: return IdleClass::Input;
      case HostDoing::ForeignWork: return IdleClass::Host;
      case HostDoing::Compiling: return IdleClass::Compile;
      case HostDoing::Profiling: return IdleClass::Profiler;
      case HostDoing::Copying: return IdleClass::Copy;
      case HostDoing::Allocating: return IdleClass::Allocation;
      case HostDoing::Waiting:
        return launch == kNoRow && closes(stretch) ? IdleClass::Profiler : IdleClass::Sync;
      case HostDoing::Nothing:
      case HostDoing::Script:
      case HostDoing::Issuing:
      case HostDoing::kCount: break;
    }
    return IdleClass::Host;
  }

  // The profiler ends with a synchronisation of its own, behind the last launch.
  [[nodiscard]] bool closes(const HostStretch& stretch) const {
    return stretch.begin_ns > dispatch_.last_launch_ns;
  }

  // The device ran dry while the thread waited for it: had it not, it could have issued ahead, so the way
  // back is part of what the wait costs.
  [[nodiscard]] Drain drained_by(std::uint32_t thread, const Gap& gap) const {
    const std::uint32_t call = gap.previous == kNoRow ? kNoRow : host_.call_at(thread, gap.begin_ns);
    if (call == kNoRow) {
      return {};
    }
    const std::int64_t waited = gap.begin_ns - p_.api_calls.start_ns[call];
    const ApiKind kind = p_.api_calls.kind[call];
    if (kind == ApiKind::Synchronize && p_.api_calls.start_ns[call] <= dispatch_.last_launch_ns) {
      return {IdleClass::Sync, waited};
    }
    if (kind == ApiKind::Memcpy && holds_host(call)) {
      return {reads_to_host(call) ? IdleClass::Sync : IdleClass::Copy, waited};
    }
    return {};
  }

  // The call returns only when its copy is done.
  [[nodiscard]] bool holds_host(std::uint32_t call) const {
    const std::uint32_t activity = dispatch_.activity_of_call[call];
    return activity != kNoRow && p_.api_calls.start_ns[call] + p_.api_calls.duration_ns[call] >=
                                     p_.activities.start_ns[activity] + audit_.duration_ns[activity];
  }
  [[nodiscard]] bool reads_to_host(std::uint32_t call) const {
    return copy_direction(p_.text(p_.activities.name[dispatch_.activity_of_call[call]])) ==
           CopyDirection::DeviceToHost;
  }

  const Profile& p_;
  const Links& links_;
  const DurationAudit& audit_;
  const Column<KernelClass>& classes_;
  HostActivity host_;
  Dispatch dispatch_;

  DeviceTiles out_;
  std::vector<Edge> edges_;
  std::vector<Interval> waits_;  // of streams for events, as recorded
};

}  // namespace

std::string_view to_string(IdleClass idle_class) {
  switch (idle_class) {
    case IdleClass::Launch: return "launch";
    case IdleClass::Host: return "host";
    case IdleClass::Input: return "input";
    case IdleClass::Sync: return "sync";
    case IdleClass::Copy: return "copy";
    case IdleClass::Allocation: return "allocation";
    case IdleClass::Communication: return "communication";
    case IdleClass::OtherStream: return "other_stream";
    case IdleClass::Compile: return "compile";
    case IdleClass::Profiler: return "profiler";
    case IdleClass::Lock: return "lock";
    case IdleClass::GarbageCollection: return "garbage_collection";
    case IdleClass::UnknownWait: return "unknown_wait";
    case IdleClass::Queue: return "queue";
    case IdleClass::Unattributed:
    case IdleClass::kCount: break;
  }
  return "unattributed";
}

std::string_view to_string(BusyClass busy_class) {
  switch (busy_class) {
    case BusyClass::Communication: return "communication";
    case BusyClass::Copies: return "copies";
    case BusyClass::Kernels:
    case BusyClass::kCount: break;
  }
  return "kernels";
}

std::vector<DeviceTiles> attribute_time(const Profile& profile, const Links& links,
                                        const DurationAudit& audit, const Column<KernelClass>& classes,
                                        std::int64_t step_ns) {
  std::vector<DeviceTiles> devices;
  if (!profile.info.first_ns) {
    return devices;
  }
  std::vector<bool> active(profile.devices.size(), false);
  for (std::uint32_t row = 0; row < profile.activities.size(); ++row) {
    if (profile.activities.timed[row] && profile.activities.kind[row] != ActivityKind::Sync) {
      active[profile.streams[profile.activities.stream[row]].device] = true;
    }
  }
  Attribution attribution(profile, links, audit, classes, step_ns);
  for (std::uint32_t device = 0; device < active.size(); ++device) {
    if (active[device]) {
      devices.push_back(attribution.run(device));
    }
  }
  return devices;
}

}  // namespace foretell::timeline
