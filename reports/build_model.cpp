// SPDX-License-Identifier: Apache-2.0
#include "reports/build_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "src/base/text.hpp"

namespace foretell::reports {
namespace {

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

// Bytes moved per op name and per module.
struct MovedBytes {
  std::unordered_map<StringId, double> by_op;
  std::vector<double> by_module;
};

MovedBytes sum_bytes(const profile::Profile& profile, const timeline::Timeline& timeline,
                     const whatif::KernelWork& work) {
  MovedBytes moved;
  moved.by_module.resize(timeline.modules.all.size(), 0);
  for (std::uint32_t row = 0; row < profile.activities.size(); ++row) {
    const std::uint32_t op = timeline.links.op_of_activity[row];
    if (op != profile::kNoRow && profile.host_ops.kind[op] == profile::HostOpKind::Operator) {
      moved.by_op[profile.host_ops.name[op]] += work.bytes[row];
    }
    if (!moved.by_module.empty()) {
      const std::uint32_t module = timeline.modules.module_of_activity[row];
      if (module != profile::kNoRow) {
        moved.by_module[module] += work.bytes[row];
      }
    }
  }
  return moved;
}

std::string label_of(const profile::Profile& profile, const profile::TrackId& track) {
  return track.text == StringId::Empty ? fmt::format("{}", track.number)
                                       : std::string(profile.text(track.text));
}

void put_tables(TraceReport& report, const profile::Profile& profile, const timeline::Timeline& timeline,
                const whatif::KernelWork& work) {
  const MovedBytes moved = sum_bytes(profile, timeline, work);
  for (const timeline::OpTime& op : timeline.ops.by_name) {
    const auto bytes = moved.by_op.find(op.name);
    report.ops.push_back(
        {std::string(profile.text(op.name)), op, bytes == moved.by_op.end() ? 0 : bytes->second});
  }
  for (std::uint32_t row = 0; row < timeline.modules.all.size(); ++row) {
    const timeline::Module& module = timeline.modules.all[row];
    report.modules.push_back({.path = timeline::module_path(profile, timeline.modules, row),
                              .calls = module.calls,
                              .self_cpu_ns = module.self_cpu_ns,
                              .device_ns = module.device_ns,
                              .kernels = module.kernels,
                              .launches = module.launches,
                              .bytes = moved.by_module[row]});
  }
  for (const timeline::HostThread& thread : timeline.threads) {
    const profile::Thread& track = profile.threads[thread.thread];
    report.threads.push_back(
        {fmt::format("process {}, thread {}", label_of(profile, track.pid), label_of(profile, track.tid)),
         thread});
  }
}

}  // namespace

TraceReport build_trace_report(const profile::Profile& profile, timeline::Timeline timeline,
                               const cost::DeviceTable& devices, const ReportOptions& options) {
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
  report.communicators = communicator_rows(profile);
  // the constants are those of the device that does most
  cost::Device device;
  const auto active = std::ranges::max_element(report.devices, {}, &DeviceRow::work_records);
  if (active != report.devices.end() && active->active()) {
    device = active->match.device;
    report.constants = cost::default_constants(devices, device.vendor);
  }
  if (options.constants) {
    cost::apply(*options.constants, device, report.constants);
  }
  if (active != report.devices.end() && active->active()) {
    const std::vector<cost::Constant> of_device = cost::device_constants(device);
    report.constants.insert(report.constants.begin(), of_device.begin(), of_device.end());
  }
  checks::Diagnosis diagnosis = checks::diagnose({.profile = profile,
                                                  .timeline = timeline,
                                                  .device = device,
                                                  .constants = report.constants,
                                                  .wall_ns = options.timeline.wall_ns,
                                                  .input_bytes = options.input_bytes});
  put_tables(report, profile, timeline, diagnosis.work);
  report.sentences = std::move(diagnosis.sentences);
  report.binds = std::move(diagnosis.binds);
  report.kernel_classes = std::move(diagnosis.classes);
  report.groups = std::move(diagnosis.groups.families);
  report.checks = std::move(diagnosis.checks);
  for (const timeline::DeviceSplit& of_device : timeline.split.devices) {
    report.split_devices.push_back(profile.devices[of_device.device].id);
  }
  report.split = std::move(timeline.split);
  report.wall_ns = options.timeline.wall_ns;
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
