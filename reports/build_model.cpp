// SPDX-License-Identifier: Apache-2.0
#include "reports/build_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "src/base/text.hpp"

namespace foretell::reports {
namespace {

using timeline::Facts;
using timeline::StepKind;
using timeline::Steps;
using timeline::Verdict;

cost::DeviceQuery query_of(const profile::Device& device, profile::Vendor vendor) {
  const bool amd = vendor == profile::Vendor::Amd;
  cost::DeviceQuery query;
  query.name = device.name;
  query.vendor = amd                                 ? cost::Vendor::Amd
                 : vendor == profile::Vendor::Nvidia ? cost::Vendor::Nvidia
                                                     : cost::Vendor::Unknown;
  query.compute_major = device.compute_major;
  query.compute_minor = device.compute_minor;
  query.sm_count = device.sm_count;
  query.warp_size = device.warp_size;
  query.total_memory_bytes = device.total_memory_bytes;
  query.max_threads_per_sm = device.max_threads_per_sm;
  query.regs_per_sm = amd ? std::nullopt : device.registers_per_sm;
  query.smem_per_sm_bytes = device.shared_memory_per_sm_bytes;
  return query;
}

std::vector<DeviceRow> device_rows(const profile::Profile& profile, const cost::DeviceTable& table) {
  std::vector<DeviceRow> rows;
  for (const profile::Device& device : profile.devices) {
    rows.push_back({.id = device.id,
                    .recorded_name = device.name,
                    .listed = device.listed,
                    .work_records = device.work_records,
                    .match = cost::match_device(table, query_of(device, profile.info.vendor))});
  }
  std::ranges::sort(rows, {}, &DeviceRow::id);
  return rows;
}

std::vector<CommunicatorRow> communicator_rows(const profile::Profile& profile) {
  std::vector<CommunicatorRow> rows;
  std::unordered_map<StringId, std::size_t> row_of_id;
  for (const StringId id : profile.communications.communicator_id) {
    if (id == StringId::Empty) {
      continue;
    }
    const auto [known, added] = row_of_id.try_emplace(id, rows.size());
    if (added) {
      rows.push_back({std::string(profile.text(id)), 0});
    }
    ++rows[known->second].records;
  }
  return rows;
}

// `busy_ns`: device busy time, corrupt durations clipped.
std::string contents_sentence(const profile::Profile& profile, const Facts& facts, std::int64_t busy_ns) {
  if (facts.kernels + facts.memcpys + facts.memsets == 0) {
    return fmt::format("{} and no device activity over {}.", format_counted(facts.cpu_ops, "CPU op"),
                       format_duration(facts.span_ns));
  }
  if (facts.active_devices == 0) {
    return fmt::format("{}, none of them timed.", format_counted(facts.kernels, "kernel"));
  }
  return fmt::format("{} by {} over {}; {} busy {} of the time.", format_counted(facts.kernels, "kernel"),
                     facts.graph_launches > 0
                         ? fmt::format("{} and {}", format_counted(facts.launch_calls, "launch", "launches"),
                                       format_counted(facts.graph_launches, "graph replay"))
                         : format_counted(facts.launch_calls, "launch", "launches"),
                     format_duration(facts.span_ns),
                     facts.active_devices == 1
                         ? std::string("the device is")
                         : fmt::format("{} devices are, on average,", facts.active_devices),
                     facts.span_ns > 0
                         ? format_share(static_cast<double>(busy_ns) / static_cast<double>(facts.span_ns) /
                                        static_cast<double>(std::max<std::uint64_t>(facts.active_devices, 1)))
                         : std::string("an unknown part")) +
         (profile.info.resolution_ns > 1 ? " Times have a resolution of 1 us." : "");
}

std::string trust_sentence(const timeline::Integrity& integrity) {
  switch (integrity.verdict) {
    case Verdict::Complete: return "The trace is complete: its numbers can be used as they are.";
    case Verdict::Partial:
      return fmt::format("The trace is partial: {} what may be concluded.",
                         format_counted(integrity.reasons.size(), "reason limits", "reasons limit"));
    case Verdict::Unusable: return "The trace is unusable: no conclusion can be drawn from its numbers.";
  }
  return {};
}

std::string window_sentence(const Steps& steps, const Facts& facts) {
  if (steps.all.empty()) {
    return "It holds no timed event, so there is no step to look at.";
  }
  if (steps.kind == StepKind::Whole) {
    return fmt::format(
        "No step is marked and no kernel sequence repeats; the whole trace ({}) is taken as one step.",
        format_duration(steps.step_ns));
  }
  const std::string_view by = steps.kind == StepKind::ProfilerStep ? "the profiler's step marks"
                              : steps.kind == StepKind::UserRange  ? "a repeating user range"
                                                                   : "the repeating kernel sequence";
  const bool has_busy = facts.active_devices > 0 && steps.device_time_known;
  return fmt::format(
      "{} by {}: median {}{}.", format_counted(steps.steady, "steady step"), by,
      format_duration(steps.step_ns),
      has_busy ? fmt::format(", device busy {} of it", format_duration(steps.busy_ns)) : std::string());
}

}  // namespace

TraceReport build_trace_report(const profile::Profile& profile, timeline::Timeline timeline,
                               const cost::DeviceTable& devices, const timeline::TimelineOptions& options) {
  TraceReport report;
  const profile::TraceInfo& info = profile.info;
  report.source = {.path = info.path,
                   .format = info.format,
                   .size_bytes = info.size_bytes,
                   .text_bytes = info.text_bytes,
                   .events = info.events,
                   .resolution_ns = info.resolution_ns,
                   .base_time_ns = info.base_time_ns,
                   .rank = info.rank,
                   .world_size = info.world_size};
  report.devices = device_rows(profile, devices);
  for (const timeline::OpTime& op : timeline.ops.by_name) {
    report.ops.push_back({std::string(profile.text(op.name)), op});
  }
  report.communicators = communicator_rows(profile);
  // the constants are those of the device that does most
  const auto active = std::ranges::max_element(report.devices, {}, &DeviceRow::work_records);
  if (active != report.devices.end() && active->active()) {
    report.constants = cost::device_constants(active->match.device);
    std::ranges::copy(cost::default_constants(devices, active->match.device.vendor),
                      std::back_inserter(report.constants));
  }
  report.sentences = {contents_sentence(profile, timeline.facts, timeline.audit.device_busy_ns),
                      trust_sentence(timeline.integrity), window_sentence(timeline.steps, timeline.facts)};
  report.binds = "unknown";
  report.wall_ns = options.wall_ns;
  report.clipped_kernel_sum_ns = timeline.audit.kernel_sum_ns;
  report.clipped_device_busy_ns = timeline.audit.device_busy_ns;
  report.profiler_overhead_ns = timeline.ops.overhead_ns;
  report.integrity = std::move(timeline.integrity);
  report.facts = timeline.facts;
  report.steps = std::move(timeline.steps);
  report.launches = timeline.launches;
  report.graphs = timeline.graphs;
  return report;
}

}  // namespace foretell::reports
