// SPDX-License-Identifier: Apache-2.0
#include "analyzer/ingest/kineto/test_dump.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "analyzer/ingest/kineto/kineto.hpp"
#include "analyzer/profile/stats.hpp"
#include "src/base/byte_source.hpp"

namespace foretell::ingest::kineto {
namespace {

using profile::kNoId;
using profile::kNoRow;
using profile::Profile;
using profile::RecordId;

class Dump {
 public:
  explicit Dump(const Profile& profile) : p_(profile) {
    info();
    tables();
  }
  [[nodiscard]] std::string take() { return std::move(out_); }

 private:
  template <class... Values>
  void line(std::string_view table, const Values&... values) {
    out_ += table;
    ((out_ += fmt::format(" {}", values)), ...);
    out_ += '\n';
  }
  [[nodiscard]] std::string_view text(StringId id) const { return p_.text(id); }
  [[nodiscard]] std::string id(RecordId id) const {
    return id >= kNoId ? fmt::format("{}", id)
                       : fmt::format("'{}'", text(StringId{static_cast<std::uint32_t>(
                                                 id - profile::text_record_id(StringId::Empty))}));
  }
  static std::string maybe(const std::optional<std::int64_t>& value) {
    return value ? fmt::format("{}", *value) : "-";
  }
  [[nodiscard]] std::string thread(std::uint32_t row) const {
    const profile::Thread& thread = p_.threads.at(row);
    return fmt::format("{}{}/{}{}", thread.pid.number, text(thread.pid.text), thread.tid.number,
                       text(thread.tid.text));
  }
  [[nodiscard]] std::string stream(std::uint32_t row) const {
    const profile::Stream& stream = p_.streams.at(row);
    return fmt::format("{}:{}", p_.devices.at(stream.device).id, stream.id);
  }

  void info() {
    const profile::TraceInfo& info = p_.info;
    line("info", info.events, maybe(info.base_time_ns), maybe(info.rank), maybe(info.world_size),
         info.resolution_ns, maybe(info.first_ns), maybe(info.last_ns), info.legacy_profiler,
         static_cast<int>(info.vendor), info.unsupported_accelerator, info.end_note, info.counter_ranges,
         info.first_repair_where);
    for (const profile::StatInfo& row : profile::all_stats()) {
      line(row.id, p_.stats[row.stat]);
    }
    for (const profile::Device& device : p_.devices) {
      line("device", device.id, device.name, maybe(device.sm_count), device.listed, device.work_records);
    }
  }

  void tables() {
    const auto& ops = p_.host_ops;
    for (std::size_t i = 0; i < ops.size(); ++i) {
      line("op", ops.start_ns[i], ops.duration_ns[i], id(ops.external_id[i]), text(ops.name[i]),
           thread(ops.thread[i]), ops.parent[i], static_cast<int>(ops.kind[i]),
           static_cast<bool>(ops.from_begin_end[i]));
      if (const std::uint32_t detail = ops.detail[i]; detail != kNoRow) {
        const auto& d = p_.op_details;
        line("  detail", text(d.input_dims[detail]), text(d.input_types[detail]),
             text(d.concrete_inputs[detail]), text(d.call_stack[detail]), id(d.sequence_number[detail]),
             id(d.forward_thread[detail]));
      }
    }
    const auto& calls = p_.api_calls;
    for (std::size_t i = 0; i < calls.size(); ++i) {
      line("call", calls.start_ns[i], calls.duration_ns[i], id(calls.correlation[i]),
           id(calls.external_id[i]), text(calls.name[i]), thread(calls.thread[i]),
           static_cast<int>(calls.kind[i]));
    }
    const auto& rows = p_.activities;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      line("activity", rows.start_ns[i], rows.duration_ns[i], id(rows.correlation[i]),
           id(rows.external_id[i]), id(rows.graph_id[i]), id(rows.graph_node_id[i]), rows.bytes[i],
           text(rows.name[i]), stream(rows.stream[i]), static_cast<int>(rows.kind[i]),
           static_cast<bool>(rows.timed[i]));
      if (const std::uint32_t launch = rows.launch[i]; launch != kNoRow) {
        const auto& l = p_.kernel_launches;
        line("  launch", l.grid_x[launch], l.grid_y[launch], l.grid_z[launch], l.block_x[launch],
             l.block_y[launch], l.block_z[launch], l.registers_per_thread[launch],
             l.shared_memory_bytes[launch], l.occupancy_ratio[launch]);
      }
    }
    const auto& memory = p_.memory_events;
    for (std::size_t i = 0; i < memory.size(); ++i) {
      line("memory", memory.time_ns[i], memory.bytes[i], memory.total_allocated_bytes[i],
           memory.total_reserved_bytes[i], memory.address[i], memory.device_id[i], thread(memory.thread[i]));
    }
    for (std::size_t i = 0; i < p_.step_markers.size(); ++i) {
      line("step", p_.step_markers.start_ns[i], p_.step_markers.duration_ns[i],
           text(p_.step_markers.name[i]));
    }
    for (std::size_t i = 0; i < p_.device_annotations.size(); ++i) {
      line("annotation", p_.device_annotations.start_ns[i], text(p_.device_annotations.name[i]),
           stream(p_.device_annotations.stream[i]));
    }
    for (std::size_t i = 0; i < p_.compile_events.size(); ++i) {
      line("compile", p_.compile_events.start_ns[i], text(p_.compile_events.name[i]));
    }
    for (std::size_t i = 0; i < p_.overheads.size(); ++i) {
      line("overhead", p_.overheads.start_ns[i], p_.overheads.duration_ns[i], text(p_.overheads.name[i]));
    }
    for (std::size_t i = 0; i < p_.communications.size(); ++i) {
      const auto& c = p_.communications;
      line("communication", text(c.collective[i]), text(c.communicator_id[i]), text(c.dtype[i]),
           text(c.group_name[i]), c.in_elements[i], c.out_elements[i], c.group_size[i], c.on_device[i]);
    }
    for (std::size_t i = 0; i < p_.flows.size(); ++i) {
      line("flow", id(p_.flows.id[i]), static_cast<bool>(p_.flows.is_start[i]));
    }
  }

  const Profile& p_;
  std::string out_;
};

}  // namespace

Result<Profile> load(std::string_view text, const ReadOptions& options) {
  const auto source = open_memory(text);
  return read(*source, "", options);
}

std::string dump(const Profile& profile) { return Dump(profile).take(); }

std::string outcome(std::string_view text, const ReadOptions& options) {
  const auto loaded = load(text, options);
  return loaded ? dump(*loaded)
                : fmt::format("error {} | {} | {}", loaded.error().where, loaded.error().message,
                              loaded.error().hint);
}

}  // namespace foretell::ingest::kineto
