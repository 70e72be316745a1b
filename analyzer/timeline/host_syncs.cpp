// SPDX-License-Identifier: Apache-2.0
#include "analyzer/timeline/host_syncs.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "analyzer/timeline/copies.hpp"
#include "analyzer/timeline/device_busy.hpp"
#include "analyzer/timeline/host_sync_groups.hpp"
#include "analyzer/timeline/source_lines.hpp"
#include "src/base/saturate.hpp"

namespace foretell::timeline {
namespace {

using namespace profile;

// A host read asks for one value, a count or a handful of flags; what is larger is output on its way.
constexpr std::int64_t kLargestReadBytes = 1024;

bool is_device_wide(std::string_view name) {
  return name.find("DeviceSynchronize") != std::string_view::npos ||
         name.find("CtxSynchronize") != std::string_view::npos;
}

// The last device-wide synchronisation, if it starts after every launch. Of a runtime call and the driver
// call inside it the runtime call.
std::uint32_t find_closing_call(const Profile& profile) {
  const ApiCalls& calls = profile.api_calls;
  std::int64_t last_launch = INT64_MIN;
  std::uint32_t closing = kNoRow;
  const auto is_later = [&](std::uint32_t call) {
    if (closing == kNoRow) {
      return true;
    }
    const bool inside = calls.thread[call] == calls.thread[closing] &&
                        calls.start_ns[call] < calls.start_ns[closing] + calls.duration_ns[closing];
    return !inside && calls.start_ns[call] >= calls.start_ns[closing];
  };
  for (std::uint32_t call = 0; call < calls.size(); ++call) {
    if (is_launch(calls.kind[call])) {
      last_launch = std::max(last_launch, calls.start_ns[call]);
    } else if (calls.kind[call] == ApiKind::Synchronize && is_device_wide(profile.text(calls.name[call])) &&
               is_later(call)) {
      closing = call;
    }
  }
  const bool launched = last_launch != INT64_MIN;
  return closing != kNoRow && launched && calls.start_ns[closing] > last_launch ? closing : kNoRow;
}

// Per call the activity it made that starts last.
std::vector<std::uint32_t> last_activities(const Profile& profile, const Links& links) {
  const DeviceActivities& activities = profile.activities;
  std::vector<std::uint32_t> last(profile.api_calls.size(), kNoRow);
  for (std::uint32_t row = 0; row < activities.size(); ++row) {
    const std::uint32_t call = links.call_of_activity[row];
    if (call == kNoRow || !activities.timed[row] || activities.kind[row] == ActivityKind::Sync) {
      continue;
    }
    if (last[call] == kNoRow || activities.start_ns[row] > activities.start_ns[last[call]]) {
      last[call] = row;
    }
  }
  return last;
}

class Finder {
 public:
  Finder(const Profile& profile, const Links& links, const DurationAudit& audit, const Steps& steps)
      : profile_(profile),
        links_(links),
        audit_(audit),
        steps_(steps),
        busy_(profile, audit),
        activity_of_(last_activities(profile, links)) {}

  HostSyncs run() {
    const ApiCalls& calls = profile_.api_calls;
    out_.closing_call = find_closing_call(profile_);
    if (out_.closing_call != kNoRow) {
      out_.closing_sync_ns = std::max<std::int64_t>(calls.duration_ns[out_.closing_call], 0);
    }
    for (std::uint32_t call = 0; call < calls.size(); ++call) {
      if (call == 0 || calls.thread[call] != calls.thread[call - 1]) {
        last_launch_ = kNoRow;
        before_ = {};
        waited_until_ = INT64_MIN;
      }
      visit(call);
    }
    return std::move(out_);
  }

 private:
  // The copy that the last call on the thread was, calls aside that neither launch, copy, allocate nor wait.
  struct Before {
    bool to_host = false;
    bool small = false;
    std::uint32_t sync = kNoRow;  // index of out_.all, where it blocked
  };

  void visit(std::uint32_t call) {
    const ApiCalls& calls = profile_.api_calls;
    switch (calls.kind[call]) {
      case ApiKind::Other: return;
      case ApiKind::KernelLaunch:
      case ApiKind::GraphLaunch:
        last_launch_ = activity_of_[call] != kNoRow ? activity_of_[call] : last_launch_;
        before_ = {};
        return;
      case ApiKind::Memset:
      case ApiKind::Allocate:
      case ApiKind::Free: before_ = {}; return;
      case ApiKind::Memcpy: visit_copy(call); return;
      case ApiKind::Synchronize: visit_sync(call); return;
    }
  }

  void visit_copy(std::uint32_t call) {
    const std::uint32_t copy = activity_of_[call];
    before_ = {};
    if (copy == kNoRow || !is_to_host(copy)) {
      return;
    }
    const std::int64_t bytes = profile_.activities.bytes[copy];
    before_.to_host = true;
    before_.small = bytes <= kLargestReadBytes;  // not given: nearly all copies to the host are reads
    const std::int64_t copy_end = profile_.activities.start_ns[copy] + audit_.duration_ns[copy];
    if (end_of(call) >= copy_end) {
      before_.sync = add(call, before_.small);
    }
  }

  void visit_sync(std::uint32_t call) {
    const Before before = std::exchange(before_, {});
    if (profile_.api_calls.start_ns[call] < waited_until_) {
      return;  // a driver call inside the runtime call
    }
    if (call == out_.closing_call) {
      waited_until_ = end_of(call);
      return;
    }
    const bool reads = before.to_host && before.small;
    if (before.sync != kNoRow && before.to_host &&
        out_.all[before.sync].step == step_at(steps_.all, profile_.api_calls.start_ns[call])) {
      HostSync& sync = out_.all[before.sync];
      const std::int64_t copy_ns = sync.wait_ns;
      measure(sync, call);
      sync.call = sync.wait_ns - copy_ns > copy_ns ? call : sync.call;
      waited_until_ = end_of(call);
      return;
    }
    before_.sync = add(call, reads);
  }

  // Index of the new wait; kNoRow outside the steady steps.
  std::uint32_t add(std::uint32_t call, bool host_read) {
    const std::size_t step = step_at(steps_.all, profile_.api_calls.start_ns[call]);
    waited_until_ = end_of(call);
    if (step >= steps_.all.size() || steps_.all[step].warmup) {
      return kNoRow;
    }
    HostSync sync{.call = call,
                  .step = static_cast<std::uint32_t>(step),
                  .op = operator_around(call),
                  .last_kernel = last_launch_,
                  .host_read = host_read};
    measure(sync, call);
    out_.all.push_back(sync);
    return static_cast<std::uint32_t>(out_.all.size() - 1);
  }

  // By nesting in time: what old profilers give a wait for its external id is that of the op before it.
  [[nodiscard]] std::uint32_t operator_around(std::uint32_t call) const {
    const HostOps& ops = profile_.host_ops;
    std::uint32_t op =
        innermost_row_at(ops, profile_.api_calls.thread[call], profile_.api_calls.start_ns[call]);
    op = op != kNoRow ? op : links_.op_of_call[call];
    for (int depth = 0; op != kNoRow && ops.kind[op] != HostOpKind::Operator; ++depth) {
      op = depth < kDeepestNest ? ops.parent[op] : kNoRow;
    }
    return op;
  }

  void measure(HostSync& sync, std::uint32_t call) {
    const std::int64_t begin = profile_.api_calls.start_ns[call];
    const std::int64_t wait = end_of(call) - begin;
    const std::int64_t busy = busy_.busy_ns(device(), begin, begin + wait);
    add_saturated(sync.wait_ns, wait);
    add_saturated(sync.busy_ns, busy);
    add_saturated(sync.idle_ns, wait - busy);
  }
  [[nodiscard]] std::uint32_t device() const {
    return last_launch_ != kNoRow ? profile_.streams[profile_.activities.stream[last_launch_]].device
                                  : busy_.first_active();
  }
  [[nodiscard]] std::int64_t end_of(std::uint32_t call) const {
    return profile_.api_calls.start_ns[call] +
           std::max<std::int64_t>(profile_.api_calls.duration_ns[call], 0);
  }
  [[nodiscard]] bool is_to_host(std::uint32_t copy) const {
    return profile_.activities.kind[copy] == ActivityKind::Memcpy &&
           copy_direction(profile_.text(profile_.activities.name[copy])) == CopyDirection::DeviceToHost;
  }

  const Profile& profile_;
  const Links& links_;
  const DurationAudit& audit_;
  const Steps& steps_;
  const DeviceBusy busy_;
  const std::vector<std::uint32_t> activity_of_;
  HostSyncs out_;
  std::uint32_t last_launch_ = kNoRow;  // its activity
  std::int64_t waited_until_ = INT64_MIN;
  Before before_;
};

void sum_all(const Steps& steps, HostSyncs& out) {
  StepSums count(steps);
  StepSums reads(steps);
  StepSums wait(steps);
  StepSums busy(steps);
  StepSums idle(steps);
  for (const HostSync& sync : out.all) {
    count.add(sync.step, 1);
    reads.add(sync.step, sync.host_read ? 1 : 0);
    wait.add(sync.step, sync.wait_ns);
    busy.add(sync.step, sync.busy_ns);
    idle.add(sync.step, sync.idle_ns);
  }
  out.count = count.sum();
  out.host_reads = reads.sum();
  out.wait_ns = wait.sum();
  out.busy_ns = busy.sum();
  out.idle_ns = idle.sum();
}

}  // namespace

HostSyncs compute_host_syncs(const Profile& profile, const Links& links, const DurationAudit& audit,
                             const Steps& steps) {
  HostSyncs out = Finder(profile, links, audit, steps).run();
  group_host_syncs(profile, links, steps, out);
  sum_all(steps, out);
  return out;
}

}  // namespace foretell::timeline
