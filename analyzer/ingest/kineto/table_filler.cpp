// SPDX-License-Identifier: Apache-2.0
#include "analyzer/ingest/kineto/table_filler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <unordered_set>

namespace foretell::ingest::kineto {
namespace {

using namespace profile;

// The number a row label ends in, 0 if none.
std::int64_t trailing_number(std::string_view label) {
  const std::size_t digits = label.find_last_not_of("0123456789") + 1;
  std::int64_t id = 0;
  std::from_chars(label.data() + digits, label.data() + label.size(), id);
  return id;
}

// Beyond 146 years from the axis' zero: no time stamp, and differences would leave 64 bits.
bool out_of_range(std::int64_t ns) {
  constexpr std::int64_t kLimit = std::int64_t{1} << 62;
  return ns >= kLimit || ns <= -kLimit;
}

bool is_host_range(Category category) {
  return category == Category::CpuOp || category == Category::UserAnnotation ||
         category == Category::PythonFunction || category == Category::Unknown;
}

bool is_graph_id(RecordId id) { return id != 0 && id != kNoId; }  // 0 stands for "no graph" in new traces

}  // namespace

RecordId TableFiller::remap(RecordId id) const {
  if (id >= kNoId) {
    return id;
  }
  const auto local = static_cast<std::size_t>(id - text_record_id(StringId::Empty));
  return text_record_id(strings_[local]);
}

std::int64_t TableFiller::number_of(const TrackId& track) const {
  return track.text == StringId::Empty ? track.number : trailing_number(builder_.profile().text(track.text));
}

TrackId TableFiller::remap(const TrackId& track) const { return {track.number, remap(track.text)}; }

TableFiller::NameFacts& TableFiller::facts_of(StringId name) {
  if (name_facts_.size() <= index_of(name)) {
    name_facts_.resize(builder_.profile().strings.size());
  }
  NameFacts& facts = name_facts_[index_of(name)];
  if (facts.kind == NameClass::Unseen) {
    const std::string_view text = builder_.profile().text(name);
    facts.kind = NameClass::Plain;
    if (text.starts_with("ProfilerStep")) {
      facts.kind = NameClass::ProfilerStep;
    } else if (text.starts_with("PyTorch Profiler") || text.starts_with("Iteration Start") ||
               text.starts_with("Record Window End")) {
      facts.kind = NameClass::ProfilerRow;
    } else if (text == "[memory]") {
      facts.kind = NameClass::Memory;
    } else if (const auto compile = compile_kind_of(text)) {
      facts.kind = NameClass::Compile;
      facts.compile = *compile;
    }
  }
  return facts;
}

void TableFiller::append(const EventBatch& batch) {
  Profile& profile = builder_.profile();
  strings_.resize(batch.strings.size());
  for (std::uint32_t id = 0; id < batch.strings.size(); ++id) {
    strings_[id] = profile.strings.intern(batch.strings[StringId{id}]);
  }
  profile.stats.add(batch.stats);
  has_fraction_ |= batch.has_fraction;
  has_illegal_escapes_ |= batch.has_illegal_escapes;
  if (!first_repair_) {
    first_repair_ = batch.first_repair;
  }
  profile.info.events += batch.events.size();

  for (const Event& event : batch.events) {
    switch (event.phase) {
      case 'X': append_complete(batch, event); break;
      case 'i':
      case 'I': append_instant(batch, event); break;
      case 's':
      case 'f':
      case 't':
        profile.flows.id.push_back(remap(event.flow_id));
        profile.flows.is_start.push_back(event.phase == 's');
        profile.stats.count(event.phase == 's' ? Stat::FlowStarts : Stat::FlowEnds);
        break;
      case 'B':
      case 'E': {
        if (!has_usable_time(event)) {
          break;
        }
        if (event.category != Category::None && !is_host_range(event.category)) {
          profile.stats.count(Stat::UnreadRanges);
          break;
        }
        const std::uint32_t thread = builder_.thread(remap(event.pid), remap(event.tid));
        if (event.phase == 'E') {
          builder_.end_range(event.time_ns, remap(event.name), thread);
        } else {
          const HostOpKind kind = event.category == Category::CpuOp            ? HostOpKind::Operator
                                  : event.category == Category::UserAnnotation ? HostOpKind::UserAnnotation
                                  : event.category == Category::PythonFunction ? HostOpKind::PythonFunction
                                                                               : HostOpKind::Other;
          builder_.begin_range(event.time_ns, remap(event.name), thread, kind);
        }
        break;
      }
      case 'M': break;  // names of processes and threads: never needed, may hold what must not be shown
      case '\0': profile.stats.count(Stat::MissingPhase); break;
      default: profile.stats.count(Stat::OtherPhases); break;
    }
  }
}

bool TableFiller::has_usable_time(const Event& event) {
  const bool bad = event.has_bad_time || out_of_range(event.time_ns) || out_of_range(event.duration_ns) ||
                   out_of_range(event.time_ns + event.duration_ns);
  if (bad || !event.has_time) {
    builder_.profile().stats.count(bad ? Stat::BadTimestamp : Stat::MissingTimestamp);
    return false;
  }
  return true;
}

void TableFiller::cover(const Event& event) {
  builder_.cover(event.time_ns, event.time_ns + std::max<std::int64_t>(event.duration_ns, 0));
}

void TableFiller::append_complete(const EventBatch& batch, const Event& event) {
  Profile& profile = builder_.profile();
  const StringId name = remap(event.name);
  if (!has_usable_time(event)) {
    return;
  }
  const NameClass name_class = facts_of(name).kind;
  if (event.category == Category::Trace ||
      (event.category == Category::None && name_class == NameClass::ProfilerRow)) {
    profile.stats.count(Stat::BookkeepingRows);
    return;
  }
  profile.stats.count(Stat::MissingDuration, event.has_duration ? 0 : 1);
  profile.stats.count(Stat::NegativeDuration, event.duration_ns < 0 ? 1 : 0);
  has_categories_ |= event.category != Category::None;

  switch (event.category) {
    case Category::CpuOp: append_host_op(batch, event, HostOpKind::Operator); break;
    case Category::UserAnnotation: append_host_op(batch, event, HostOpKind::UserAnnotation); break;
    case Category::PythonFunction: append_host_op(batch, event, HostOpKind::PythonFunction); break;
    case Category::Runtime:
    case Category::Driver: append_api_call(event); break;
    case Category::Kernel: append_activity(batch, event, ActivityKind::Kernel); return;
    case Category::Memcpy: append_activity(batch, event, ActivityKind::Memcpy); return;
    case Category::Memset: append_activity(batch, event, ActivityKind::Memset); return;
    case Category::Sync: append_activity(batch, event, ActivityKind::Sync); return;
    case Category::DeviceAnnotation: {
      const DeviceArgs& args = batch.device_args[event.device_args];
      profile.device_annotations.start_ns.push_back(event.time_ns);
      profile.device_annotations.duration_ns.push_back(event.duration_ns);
      profile.device_annotations.name.push_back(name);
      // the row's pid is the device, its tid the stream
      profile.device_annotations.stream.push_back(
          builder_.stream(args.device ? *args.device : number_of(remap(event.pid)),
                          args.stream ? *args.stream : number_of(remap(event.tid))));
      break;
    }
    case Category::Overhead:
      profile.overheads.start_ns.push_back(event.time_ns);
      profile.overheads.duration_ns.push_back(event.duration_ns);
      profile.overheads.name.push_back(name);
      return;  // not part of the span
    case Category::CounterRange: ++profile.info.counter_ranges; break;
    case Category::UnsupportedAccelerator:
      if (profile.info.unsupported_accelerator.empty()) {
        profile.info.unsupported_accelerator = accelerator_of(profile.text(remap(event.category_text)));
      }
      break;
    case Category::None: {
      const std::string_view row = profile.text(remap(event.pid.text));
      if (row == "CPU functions") {
        has_legacy_rows_ = true;
        append_host_op(batch, event, HostOpKind::Operator);
      } else if (row == "CUDA functions") {
        has_legacy_rows_ = true;
        append_activity(batch, event, ActivityKind::Kernel);
        return;
      } else {
        append_host_op(batch, event, HostOpKind::Other);
      }
      break;
    }
    case Category::Unknown: profile.stats.count(Stat::UnknownCategory); break;
    case Category::Trace: break;
  }
  cover(event);
}

void TableFiller::append_host_op(const EventBatch& batch, const Event& event, HostOpKind kind) {
  Profile& profile = builder_.profile();
  const StringId name = remap(event.name);
  const std::uint32_t thread = builder_.thread(remap(event.pid), remap(event.tid));
  std::uint32_t detail = kNoRow;
  if (event.op_args != kNoRow) {
    const OpArgs& args = batch.op_args[event.op_args];
    OpDetails& details = profile.op_details;
    detail = static_cast<std::uint32_t>(details.size());
    details.input_dims.push_back(remap(args.input_dims));
    details.input_types.push_back(remap(args.input_types));
    details.concrete_inputs.push_back(remap(args.concrete_inputs));
    details.input_strides.push_back(remap(args.input_strides));
    details.call_stack.push_back(remap(args.call_stack));
    details.module_hierarchy.push_back(remap(args.module_hierarchy));
    details.sequence_number.push_back(remap(args.sequence_number));
    details.forward_thread.push_back(remap(args.forward_thread));
  }
  HostOps& ops = profile.host_ops;
  ops.append({.start_ns = event.time_ns,
              .duration_ns = event.duration_ns,
              .external_id = remap(event.external_id),
              .name = name,
              .thread = thread,
              .detail = detail,
              .kind = kind});

  if (kind == HostOpKind::PythonFunction) {
    return;
  }
  const NameFacts& facts = facts_of(name);
  if (facts.kind == NameClass::ProfilerStep) {
    profile.step_markers.start_ns.push_back(event.time_ns);
    profile.step_markers.duration_ns.push_back(event.duration_ns);
    profile.step_markers.name.push_back(name);
    profile.step_markers.thread.push_back(thread);
  } else if (facts.kind == NameClass::Compile) {
    profile.compile_events.start_ns.push_back(event.time_ns);
    profile.compile_events.duration_ns.push_back(event.duration_ns);
    profile.compile_events.name.push_back(name);
    profile.compile_events.thread.push_back(thread);
    profile.compile_events.kind.push_back(facts.compile);
  }
  if (event.communication_args != kNoRow) {
    append_communication(batch, event, false);
  }
}

void TableFiller::append_api_call(const Event& event) {
  Profile& profile = builder_.profile();
  const StringId name = remap(event.name);
  NameFacts& facts = facts_of(name);
  if (!facts.api_known) {
    facts.api = api_kind_of(profile.text(name));
    facts.api_known = true;
    has_hip_calls_ |= profile.text(name).starts_with("hip");
    has_cuda_calls_ |= profile.text(name).starts_with("cu");
  }
  ApiCalls& calls = profile.api_calls;
  calls.append({.start_ns = event.time_ns,
                .duration_ns = event.duration_ns,
                .correlation = remap(event.correlation),
                .external_id = remap(event.external_id),
                .name = name,
                .thread = builder_.thread(remap(event.pid), remap(event.tid)),
                .kind = facts.api});
}

void TableFiller::append_activity(const EventBatch& batch, const Event& event, ActivityKind kind) {
  Profile& profile = builder_.profile();
  const DeviceArgs& args = batch.device_args[event.device_args];
  // the row's labels say it where the arguments don't: "GPU 1", "stream 7"
  const std::int64_t device = args.device ? *args.device : number_of(remap(event.pid));
  const std::int64_t stream = args.stream ? *args.stream : number_of(remap(event.tid));
  std::uint32_t launch = kNoRow;
  if (kind == ActivityKind::Kernel && (args.grid[0] >= 0 || args.block[0] >= 0 || args.registers >= 0)) {
    KernelLaunches& launches = profile.kernel_launches;
    launch = static_cast<std::uint32_t>(launches.size());
    launches.grid_x.push_back(args.grid[0]);
    launches.grid_y.push_back(args.grid[1]);
    launches.grid_z.push_back(args.grid[2]);
    launches.block_x.push_back(args.block[0]);
    launches.block_y.push_back(args.block[1]);
    launches.block_z.push_back(args.block[2]);
    launches.registers_per_thread.push_back(args.registers);
    launches.shared_memory_bytes.push_back(args.shared_memory);
    launches.occupancy_ratio.push_back(args.occupancy);
  }
  DeviceActivities& rows = profile.activities;
  const bool timed = !event.is_untimed;
  rows.append({.start_ns = event.time_ns,
               .duration_ns = event.duration_ns,
               .correlation = remap(event.correlation),
               .external_id = remap(event.external_id),
               .graph_id = is_graph_id(args.graph_id) ? remap(args.graph_id) : kNoId,
               .graph_node_id = is_graph_id(args.graph_node_id) ? remap(args.graph_node_id) : kNoId,
               .bytes = args.bytes,
               .name = remap(event.name),
               .stream = builder_.stream(device, stream),
               .launch = launch,
               .kind = kind,
               .timed = timed});
  if (timed) {
    cover(event);
  } else {
    profile.stats.count(Stat::UntimedActivities);
  }
  if (event.communication_args != kNoRow) {
    append_communication(batch, event, true);
  }
}

void TableFiller::append_communication(const EventBatch& batch, const Event& event, bool on_device) {
  const CommunicationArgs& args = batch.communication_args[event.communication_args];
  Communications& rows = builder_.profile().communications;
  rows.collective.push_back(remap(args.collective));
  rows.communicator_id.push_back(remap(args.communicator_id));
  rows.dtype.push_back(remap(args.dtype));
  rows.group_name.push_back(remap(args.group_name));
  rows.in_elements.push_back(args.in_elements);
  rows.out_elements.push_back(args.out_elements);
  rows.group_size.push_back(args.group_size);
  rows.on_device.push_back(on_device ? 1 : 0);
}

void TableFiller::append_instant(const EventBatch& batch, const Event& event) {
  Profile& profile = builder_.profile();
  const NameClass name_class = facts_of(remap(event.name)).kind;
  if (name_class == NameClass::ProfilerRow) {
    profile.stats.count(Stat::BookkeepingRows);
    return;
  }
  if (name_class != NameClass::Memory || event.memory_args == kNoRow) {
    profile.stats.count(Stat::OtherPhases);
    return;
  }
  if (!has_usable_time(event)) {
    return;
  }
  const MemoryArgs& args = batch.memory_args[event.memory_args];
  MemoryEvents& rows = profile.memory_events;
  rows.time_ns.push_back(event.time_ns);
  rows.bytes.push_back(args.bytes);
  rows.total_allocated_bytes.push_back(args.total_allocated);
  rows.total_reserved_bytes.push_back(args.total_reserved);
  rows.address.push_back(args.address);
  rows.device_id.push_back(args.device_id);
  rows.thread.push_back(builder_.thread(remap(event.pid), remap(event.tid)));
}

void TableFiller::finish() {
  Profile& profile = builder_.profile();
  TraceInfo& info = profile.info;
  info.resolution_ns = has_fraction_ ? 1 : 1000;
  info.legacy_profiler = has_legacy_rows_ && !has_categories_;
  if (first_repair_) {
    info.first_repair_where = fmt::format("byte {}", *first_repair_);
  }
  if (info.roctracer_version || info.hip_runtime_version || has_hip_calls_) {
    info.vendor = Vendor::Amd;
  } else if (info.cupti_version || info.cuda_runtime_version || has_cuda_calls_) {
    info.vendor = Vendor::Nvidia;
  }
  if (!has_illegal_escapes_) {
    return;
  }
  // The writer did not escape backslashes, so the control characters in frame names are not what was meant:
  // "torch\nn" was read as a line feed and an 'n'. Put the backslash back.
  std::unordered_set<StringId> mended;
  for (std::size_t row = 0; row < profile.host_ops.size(); ++row) {
    const StringId name = profile.host_ops.name[row];
    const std::string_view text = profile.text(name);
    if (profile.host_ops.kind[row] != HostOpKind::PythonFunction) {
      continue;
    }
    if (!mended.contains(name)) {
      if (text.find_first_of("\b\f\n\r\t") == std::string_view::npos) {
        continue;
      }
      std::string fixed;
      for (const char c : text) {
        switch (c) {
          case '\b': fixed += "\\b"; break;
          case '\f': fixed += "\\f"; break;
          case '\n': fixed += "\\n"; break;
          case '\r': fixed += "\\r"; break;
          case '\t': fixed += "\\t"; break;
          default: fixed += c; break;
        }
      }
      profile.strings.replace(name, fixed);
      mended.insert(name);
    }
    profile.stats.count(Stat::StringsRepaired);
  }
}

}  // namespace foretell::ingest::kineto
