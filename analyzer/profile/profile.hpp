// SPDX-License-Identifier: Apache-2.0
// The normalised form of a recorded run: what every importer fills and every analysis reads. Columnar tables;
// times are int64 nanoseconds on the source's own axis (TraceInfo::base_time_ns says what to add to get the
// time since 1970); strings are interned. A format's quirks end at its importer.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/profile/stats.hpp"
#include "src/base/column.hpp"
#include "src/base/provenance.hpp"
#include "src/base/string_table.hpp"

namespace foretell::profile {

// Row numbers. kNoRow marks "none".
inline constexpr std::uint32_t kNoRow = std::numeric_limits<std::uint32_t>::max();

// Ids as the profiler gives them (correlation, external, flow, graph ids). kNoId: not given. A number beyond
// 64 bits is kept exactly as text: it is then TextId(StringId), a value below kNoId.
using RecordId = std::int64_t;
inline constexpr RecordId kNoId = -1;
constexpr RecordId text_record_id(StringId text) {
  return std::numeric_limits<RecordId>::min() + static_cast<RecordId>(index_of(text));
}

// A process or thread label: a number, or text ("CPU functions").
struct TrackId {
  std::int64_t number = 0;
  StringId text = StringId::Empty;  // Empty: the label is the number
  friend bool operator==(const TrackId&, const TrackId&) = default;
};

struct Thread {
  TrackId pid;
  TrackId tid;
};

enum class Vendor : std::uint8_t { Unknown, Nvidia, Amd, Other };

// One accelerator: properties as recorded, nullopt where the source is silent.
struct Device {
  std::int64_t id = 0;
  std::string name;
  std::optional<std::int64_t> compute_major, compute_minor, sm_count, warp_size;
  std::optional<std::int64_t> total_memory_bytes, max_threads_per_sm, registers_per_sm,
      shared_memory_per_sm_bytes;
  bool listed = false;             // in the source's device list
  std::uint64_t work_records = 0;  // kernels, copies and sets on it

  [[nodiscard]] bool active() const { return work_records > 0; }
};

struct Stream {
  std::uint32_t device = 0;  // row of Profile::devices
  std::int64_t id = 0;       // as recorded; -1 for records that belong to no stream
};

// Host-side ranges, nested per thread: sorted by thread, then start, then longer first; a row's parent has a
// smaller row number. Self times follow from nesting by time (a child may overrun its parent; see ops.hpp).
enum class HostOpKind : std::uint8_t { Operator, UserAnnotation, PythonFunction, Other };

struct HostOp {
  std::int64_t start_ns = 0, duration_ns = 0;
  RecordId external_id = kNoId;
  StringId name = StringId::Empty;
  std::uint32_t thread = 0;
  std::uint32_t detail = kNoRow;
  HostOpKind kind = HostOpKind::Operator;
  bool from_begin_end = false;
};

struct HostOps {
  Column<std::int64_t> start_ns, duration_ns;
  Column<RecordId> external_id;
  Column<StringId> name;
  Column<std::uint32_t> thread;  // row of Profile::threads
  Column<std::uint32_t> parent;  // row of this table or kNoRow
  Column<std::uint32_t> detail;  // row of Profile::op_details or kNoRow
  Column<HostOpKind> kind;
  Column<bool> from_begin_end;  // a B/E pair rather than one X record

  // All columns but `parent`, which ProfileBuilder::finish() fills.
  void append(const HostOp& row) {
    start_ns.push_back(row.start_ns);
    duration_ns.push_back(row.duration_ns);
    external_id.push_back(row.external_id);
    name.push_back(row.name);
    thread.push_back(row.thread);
    detail.push_back(row.detail);
    kind.push_back(row.kind);
    from_begin_end.push_back(row.from_begin_end);
  }
  [[nodiscard]] std::size_t size() const { return start_ns.size(); }
};

// What some host ops carry besides their time. All texts as recorded (JSON text for shapes).
struct OpDetails {
  Column<StringId> input_dims, input_types, concrete_inputs, input_strides, call_stack, module_hierarchy;
  Column<RecordId> sequence_number, forward_thread;

  [[nodiscard]] std::size_t size() const { return input_dims.size(); }
};

enum class ApiKind : std::uint8_t {
  KernelLaunch,
  GraphLaunch,
  Memcpy,
  Memset,
  Synchronize,
  Allocate,  // cudaMalloc and kin, also asynchronous
  Free,
  Other,
};
constexpr bool is_launch(ApiKind kind) {
  return kind == ApiKind::KernelLaunch || kind == ApiKind::GraphLaunch;
}

// Runtime and driver API calls, sorted by thread, then start.
struct ApiCall {
  std::int64_t start_ns = 0, duration_ns = 0;
  RecordId correlation = kNoId, external_id = kNoId;
  StringId name = StringId::Empty;
  std::uint32_t thread = 0;
  ApiKind kind = ApiKind::Other;
};

struct ApiCalls {
  Column<std::int64_t> start_ns, duration_ns;
  Column<RecordId> correlation, external_id;
  Column<StringId> name;
  Column<std::uint32_t> thread;
  Column<ApiKind> kind;

  void append(const ApiCall& row) {
    start_ns.push_back(row.start_ns);
    duration_ns.push_back(row.duration_ns);
    correlation.push_back(row.correlation);
    external_id.push_back(row.external_id);
    name.push_back(row.name);
    thread.push_back(row.thread);
    kind.push_back(row.kind);
  }
  [[nodiscard]] std::size_t size() const { return start_ns.size(); }
};

enum class ActivityKind : std::uint8_t { Kernel, Memcpy, Memset, Sync };

// Device-side records, sorted by stream, then start, untimed ones (start and duration 0) first.
struct DeviceActivity {
  std::int64_t start_ns = 0, duration_ns = 0;
  RecordId correlation = kNoId, external_id = kNoId;
  RecordId graph_id = kNoId, graph_node_id = kNoId;
  std::int64_t bytes = -1;
  StringId name = StringId::Empty;
  std::uint32_t stream = 0;
  std::uint32_t launch = kNoRow;
  ActivityKind kind = ActivityKind::Kernel;
  bool timed = true;
};

struct DeviceActivities {
  Column<std::int64_t> start_ns, duration_ns;
  Column<RecordId> correlation, external_id;
  Column<RecordId> graph_id, graph_node_id;  // kNoId also where recorded as 0, which means "no graph"
  Column<std::int64_t> bytes;                // -1: not given
  Column<StringId> name;
  Column<std::uint32_t> stream;  // row of Profile::streams
  Column<std::uint32_t> launch;  // row of Profile::kernel_launches or kNoRow
  Column<ActivityKind> kind;
  Column<bool> timed;

  void append(const DeviceActivity& row) {
    start_ns.push_back(row.start_ns);
    duration_ns.push_back(row.duration_ns);
    correlation.push_back(row.correlation);
    external_id.push_back(row.external_id);
    graph_id.push_back(row.graph_id);
    graph_node_id.push_back(row.graph_node_id);
    bytes.push_back(row.bytes);
    name.push_back(row.name);
    stream.push_back(row.stream);
    launch.push_back(row.launch);
    kind.push_back(row.kind);
    timed.push_back(row.timed);
  }
  [[nodiscard]] std::size_t size() const { return start_ns.size(); }
};

// Launch geometry and resources of kernels; -1: not given.
struct KernelLaunches {
  Column<std::int32_t> grid_x, grid_y, grid_z, block_x, block_y, block_z;
  Column<std::int32_t> registers_per_thread, shared_memory_bytes;
  Column<float> occupancy_ratio;  // estimated by the profiler, 0..1; -1: not given

  [[nodiscard]] std::size_t size() const { return grid_x.size(); }
};

// Allocator events ([memory] instants).
struct MemoryEvents {
  Column<std::int64_t> time_ns, bytes;                               // bytes: negative frees
  Column<std::int64_t> total_allocated_bytes, total_reserved_bytes;  // -1: not given
  Column<std::uint64_t> address;                                     // 0: not given
  Column<std::int32_t> device_id;                                    // -1: host memory
  Column<std::uint32_t> thread;

  [[nodiscard]] std::size_t size() const { return time_ns.size(); }
};

// Step ranges of the framework's profiler ("ProfilerStep#7"), host side.
struct StepMarkers {
  Column<std::int64_t> start_ns, duration_ns;
  Column<StringId> name;
  Column<std::uint32_t> thread;

  [[nodiscard]] std::size_t size() const { return start_ns.size(); }
};

// Ranges that live on a device row but are no work (gpu_user_annotation).
struct DeviceAnnotations {
  Column<std::int64_t> start_ns, duration_ns;
  Column<StringId> name;
  Column<std::uint32_t> stream;

  [[nodiscard]] std::size_t size() const { return start_ns.size(); }
};

// Compiler activity seen among the host ops (compiled regions, cache look-ups, recorded graphs).
enum class CompileKind : std::uint8_t { CompiledRegion, CacheLookup, Compilation };

struct CompileEvents {
  Column<std::int64_t> start_ns, duration_ns;
  Column<StringId> name;
  Column<std::uint32_t> thread;
  Column<CompileKind> kind;

  [[nodiscard]] std::size_t size() const { return start_ns.size(); }
};

// The profiler's own cost, as it records it (buffer requests, lazy loading).
struct Overheads {
  Column<std::int64_t> start_ns, duration_ns;
  Column<StringId> name;

  [[nodiscard]] std::size_t size() const { return start_ns.size(); }
};

// Collective arguments of communication records; texts as recorded.
struct Communications {
  Column<StringId> collective, communicator_id, dtype, group_name;
  Column<std::int64_t> in_elements, out_elements, group_size;  // -1: not given
  Column<std::uint32_t> on_device;                             // 1: kernel record, 0: host record

  [[nodiscard]] std::size_t size() const { return collective.size(); }
};

// Flow arrows as recorded. They are evidence only: links go by correlation (see timeline/links.hpp).
struct Flows {
  Column<RecordId> id;
  Column<bool> is_start;

  [[nodiscard]] std::size_t size() const { return id.size(); }
};

struct TraceInfo {
  std::string path;
  std::string format;            // name of the importer
  std::uint64_t size_bytes = 0;  // of the file on disk
  std::uint64_t text_bytes = 0;  // after inflating
  std::uint64_t events = 0;
  std::optional<std::int64_t> base_time_ns;  // add to every time for ns since 1970
  std::optional<bool> record_shapes, with_stack, profile_memory;
  std::int64_t resolution_ns = 1000;  // 1 if any time stamp has a fraction of a microsecond
  std::optional<std::int64_t> rank, world_size;
  std::optional<std::int64_t> cuda_runtime_version, cuda_driver_version, cupti_version;
  std::optional<std::int64_t> hip_runtime_version, hip_driver_version, roctracer_version;
  bool legacy_profiler =
      false;  // written by the profiler that came before Kineto: host rows only, no categories
  Vendor vendor = Vendor::Unknown;
  std::string unsupported_accelerator;  // empty, or the name of the kind ("MTIA")
  std::string first_repair_where;       // "byte 123" of the first repaired string
  std::string end_note;                 // how the file ends, where it ends early
  std::int64_t counter_ranges = 0;      // hardware-counter ranges recorded instead of kernels
  // First and last time of any complete event but bookkeeping and overhead rows; nullopt: no such event.
  std::optional<std::int64_t> first_ns, last_ns;
};

struct Profile {
  TraceInfo info;
  Stats stats;
  StringTable strings;

  std::vector<Thread> threads;
  std::vector<Device> devices;
  std::vector<Stream> streams;

  HostOps host_ops;
  OpDetails op_details;
  ApiCalls api_calls;
  DeviceActivities activities;
  KernelLaunches kernel_launches;
  MemoryEvents memory_events;
  StepMarkers step_markers;
  DeviceAnnotations device_annotations;
  CompileEvents compile_events;
  Overheads overheads;
  Communications communications;
  Flows flows;

  [[nodiscard]] std::string_view text(StringId id) const { return strings[id]; }
};

}  // namespace foretell::profile
