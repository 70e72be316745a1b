// SPDX-License-Identifier: Apache-2.0
// What a report says, as typed values, before any format: renderers only format, they never compute.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/checks/diagnosis.hpp"
#include "analyzer/cost/device_match.hpp"
#include "analyzer/timeline/timeline.hpp"
#include "src/base/result.hpp"

namespace foretell::reports {

struct DeviceRow {
  std::int64_t id = 0;
  std::string recorded_name;       // may be blank
  bool listed = false;             // in the trace's device list
  std::uint64_t work_records = 0;  // kernels, copies and sets
  cost::DeviceMatch match;

  [[nodiscard]] bool active() const { return work_records > 0; }
};

struct OpRow {
  std::string name;
  timeline::OpTime time;
  double bytes = 0;  // moved by its kernels; 0: unknown
};

// A module of the model, without those inside it.
struct ModuleRow {
  std::string path;  // "ResNet_0/Sequential_1/Conv2d_4"
  std::uint64_t calls = 0;
  std::int64_t self_cpu_ns = 0;
  std::int64_t device_ns = 0;
  std::uint64_t kernels = 0;
  std::uint64_t launches = 0;
  double bytes = 0;
};

// A host thread in the typical step: self CPU + untraced = step.
struct ThreadRow {
  std::string name;  // "process 42, thread 43"
  timeline::HostThread time;
};

struct CommunicatorRow {
  std::string id;  // exactly as recorded
  std::uint64_t records = 0;
};

struct SourceFacts {
  std::string path;
  std::string format;
  std::uint64_t size_bytes = 0;  // on disk
  std::uint64_t text_bytes = 0;  // inflated
  std::uint64_t events = 0;
  std::int64_t resolution_ns = 1;
  std::optional<std::int64_t> base_time_ns;
  std::optional<std::int64_t> rank, world_size;
};

// One trace.
struct TraceReport {
  SourceFacts source;
  std::vector<DeviceRow> devices;
  timeline::Integrity integrity;
  timeline::Facts facts;
  timeline::Steps steps;
  std::optional<std::int64_t> wall_ns;
  timeline::LaunchStats launches;
  timeline::GraphStats graphs;
  std::int64_t clipped_kernel_sum_ns = 0;  // these two with corrupt durations clipped
  std::int64_t clipped_device_busy_ns = 0;
  std::int64_t profiler_overhead_ns = 0;
  timeline::Split split;
  std::vector<std::int64_t> split_devices;  // ids of the devices in `split`
  std::vector<OpRow> ops;
  std::vector<ModuleRow> modules;
  std::vector<ThreadRow> threads;
  std::vector<whatif::ClassRow> kernel_classes;
  std::vector<whatif::GroupFamily> groups;
  std::vector<checks::CheckResult> checks;
  std::vector<CommunicatorRow> communicators;
  std::vector<cost::Constant> constants;  // of the first active device
  std::array<std::string, 3> sentences;
  std::string binds;  // which overhead binds

  // The trace can't answer what it was given for: nothing ran on its device though work was launched.
  [[nodiscard]] bool refused() const { return integrity.verdict == timeline::Verdict::Unusable; }
};

// A trace, or why it could not be read.
struct TraceOutcome {
  std::string path;
  std::optional<TraceReport> report;
  std::optional<Error> error;
};

struct ReportModel {
  std::vector<TraceOutcome> traces;
  std::optional<std::uint64_t> peak_memory_bytes;  // of this process, when it matters to say it
};

}  // namespace foretell::reports
