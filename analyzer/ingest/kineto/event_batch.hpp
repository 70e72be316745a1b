// SPDX-License-Identifier: Apache-2.0
// The events of one window, read but not yet in the tables. String ids are those of the batch's own table.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/ingest/kineto/categories.hpp"
#include "analyzer/profile/profile.hpp"
#include "src/base/string_table.hpp"

namespace foretell::ingest::kineto {

struct Event {
  char phase = '\0';
  Category category = Category::None;
  bool has_time = false;
  bool has_duration = false;
  bool has_bad_time = false;  // ts is given, but unreadable
  bool is_untimed = false;    // ts and dur are both written as zero
  StringId name = StringId::Empty;
  StringId category_text = StringId::Empty;  // of Unknown and UnsupportedAccelerator
  profile::TrackId pid, tid;
  std::int64_t time_ns = 0;
  std::int64_t duration_ns = 0;
  profile::RecordId flow_id = profile::kNoId;
  profile::RecordId correlation = profile::kNoId;
  profile::RecordId external_id = profile::kNoId;
  std::uint32_t device_args = profile::kNoRow;  // row of EventBatch::device_args
  std::uint32_t op_args = profile::kNoRow;
  std::uint32_t memory_args = profile::kNoRow;
  std::uint32_t communication_args = profile::kNoRow;
};

struct DeviceArgs {
  std::optional<std::int64_t> device, stream;
  std::int64_t bytes = -1;
  profile::RecordId graph_id = profile::kNoId;
  profile::RecordId graph_node_id = profile::kNoId;
  std::array<std::int32_t, 3> grid{-1, -1, -1};
  std::array<std::int32_t, 3> block{-1, -1, -1};
  std::int32_t registers = -1;
  std::int32_t shared_memory = -1;
  float occupancy = -1;
};

struct OpArgs {
  StringId input_dims{}, input_types{}, concrete_inputs{}, input_strides{}, call_stack{}, module_hierarchy{};
  profile::RecordId sequence_number = profile::kNoId;
  profile::RecordId forward_thread = profile::kNoId;
};

struct MemoryArgs {
  std::int64_t bytes = 0;
  std::int64_t total_allocated = -1;
  std::int64_t total_reserved = -1;
  std::uint64_t address = 0;
  std::int32_t device_id = -1;
};

struct CommunicationArgs {
  StringId collective{}, communicator_id{}, dtype{}, group_name{};
  std::int64_t in_elements = -1;
  std::int64_t out_elements = -1;
  std::int64_t group_size = -1;
};

struct EventBatch {
  std::vector<Event> events;
  std::vector<DeviceArgs> device_args;
  std::vector<OpArgs> op_args;
  std::vector<MemoryArgs> memory_args;
  std::vector<CommunicationArgs> communication_args;
  StringTable strings;
  profile::Stats stats;
  bool has_fraction = false;                  // a time stamp with a fraction of a microsecond
  bool has_illegal_escapes = false;           // a string with an escape that JSON does not know
  std::optional<std::uint64_t> first_repair;  // file offset of the first repaired string

  void clear();
};

}  // namespace foretell::ingest::kineto
