// SPDX-License-Identifier: Apache-2.0
#include "analyzer/ingest/kineto/event_reader.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "analyzer/ingest/kineto/decimal_time.hpp"
#include "analyzer/ingest/kineto/event_keys.hpp"
#include "analyzer/ingest/kineto/trace_number.hpp"

namespace foretell::ingest::kineto {
namespace {

using profile::kNoId;
using profile::RecordId;
using profile::Stat;
namespace ondemand = simdjson::ondemand;

static_assert(kMaxKey + 1 < kWindowPadding);

// What the args of one event may hold; filled whatever the event turns out to be, since `args` may come
// first.
struct Args {
  RecordId correlation = kNoId, external_id = kNoId;
  DeviceArgs device;
  OpArgs op;
  MemoryArgs memory;
  CommunicationArgs communication;
  std::optional<std::int64_t> device_type;
  bool has_op = false, has_memory = false, has_communication = false;
};

// Reads values of one event into an Event and Args. `ok` falls when the text is not what it should be.
class Fields {
 public:
  Fields(EventBatch& batch, std::string& decoded) : batch_(batch), decoded_(decoded) {}

  Event event;
  Args args;
  bool has_text_times = false;
  bool ok = true;

  void set_event(Key key, ondemand::value value) {
    switch (key) {
      case Key::Phase: {
        const std::string_view text = string(value);
        event.phase = text.empty() ? '\0' : text.front();
        return;
      }
      case Key::Category: set_category(string(value)); return;
      case Key::Name: event.name = interned(value); return;
      case Key::Pid: event.pid = track(value); return;
      case Key::Tid: event.tid = track(value); return;
      case Key::Timestamp: event.has_time = time(value, event.time_ns, event.has_bad_time); return;
      case Key::Duration: {
        bool unreadable = false;  // counted like a missing one: the event stays, its duration is taken as 0
        event.has_duration = time(value, event.duration_ns, unreadable);
        return;
      }
      case Key::Id: event.flow_id = id(value); return;
      case Key::Args: read_args(value); return;
      default: return;
    }
  }

  void read_args(ondemand::value value) {
    ondemand::object object;
    if (value.get_object().get(object) != simdjson::SUCCESS) {
      accept_scalar(value);  // null or something odd: an event without args
      return;
    }
    for (auto field : object) {
      ondemand::value inner;
      if (field.value().get(inner) != simdjson::SUCCESS) {
        ok = false;
        return;
      }
      const Key key = find_arg_key(field.key().value_unsafe().raw());
      if (key != Key::Unknown) {
        set_arg(key, inner);
      }
      if (!ok) {
        return;
      }
    }
  }

 private:
  // The raw text of a scalar (a string with its quotes); empty for an object or array.
  std::string_view token(ondemand::value& value) { return trim_right(value.raw_json_token()); }

  void accept_scalar(ondemand::value& value) {
    ondemand::json_type type{};
    ok = ok && value.type().get(type) == simdjson::SUCCESS;
  }

  // The decoded text of a string; numbers and others give their raw text. Valid until the next call.
  std::string_view string(ondemand::value& value) {
    const std::string_view raw = token(value);
    if (!raw.starts_with('"')) {
      return raw;
    }
    if (is_string(raw) && std::memchr(raw.data(), '\\', raw.size()) == nullptr) {
      return unquote(raw);
    }
    std::string_view text;
    if (value.get_string().get(text) != simdjson::SUCCESS) {
      ok = false;
      return {};
    }
    decoded_ = text;
    return decoded_;
  }

  StringId interned(ondemand::value& value) { return batch_.strings.intern(string(value)); }

  // An array or object as it is written; a string decoded.
  StringId interned_json(ondemand::value& value) {
    ondemand::array array;
    if (value.get_array().get(array) == simdjson::SUCCESS) {
      std::string_view text;
      if (array.raw_json().get(text) != simdjson::SUCCESS) {
        ok = false;
        return StringId::Empty;
      }
      return batch_.strings.intern(trim_right(text));
    }
    return interned(value);
  }

  std::optional<std::int64_t> integer(ondemand::value& value) { return lenient_integer(token(value)); }

  std::int64_t integer_or(ondemand::value& value, std::int64_t otherwise) {
    return integer(value).value_or(otherwise);
  }

  // Ids beyond 64 bits, and ids that are text, stay exact as text.
  RecordId id(ondemand::value& value) {
    const std::string_view raw = token(value);
    if (const auto number = lenient_integer(raw)) {
      return *number >= 0 ? *number : kNoId;
    }
    if (raw == "null" || raw.empty() || raw.front() == '{' || raw.front() == '[') {
      return kNoId;
    }
    return profile::text_record_id(interned(value));
  }

  profile::TrackId track(ondemand::value& value) {
    if (const auto number = lenient_integer(token(value))) {
      return {.number = *number};
    }
    return {.text = interned(value)};
  }

  // False: not given (null), or unreadable.
  bool time(ondemand::value& value, std::int64_t& ns, bool& unreadable) {
    std::string_view raw = token(value);
    if (is_string(raw)) {
      raw = unquote(raw);
      has_text_times = true;
    }
    const auto parsed = parse_microseconds(raw);
    if (!parsed) {
      unreadable = raw != "null";
      return false;
    }
    ns = parsed->ns;
    batch_.has_fraction |= parsed->has_fraction;
    return true;
  }

  void set_category(std::string_view text) {
    event.category = category_of(text);
    if (event.category == Category::UnsupportedAccelerator || event.category == Category::Unknown) {
      event.category_text = batch_.strings.intern(text);
    }
  }

  void triple(ondemand::value& value, std::array<std::int32_t, 3>& out) {
    ondemand::array array;
    if (value.get_array().get(array) != simdjson::SUCCESS) {
      return;  // ROCm writes it as text here and there; the geometry is then unknown
    }
    std::size_t i = 0;
    for (auto element : array) {
      ondemand::value inner;
      if (element.get(inner) != simdjson::SUCCESS) {
        ok = false;
        return;
      }
      if (i < out.size()) {
        out[i++] = narrow(integer(inner));
      }
    }
  }

  void set_arg(Key key, ondemand::value value) {
    DeviceArgs& device = args.device;
    OpArgs& op = args.op;
    MemoryArgs& memory = args.memory;
    CommunicationArgs& communication = args.communication;
    switch (key) {
      case Key::ExternalId: args.external_id = id(value); return;
      case Key::Correlation: args.correlation = id(value); return;
      case Key::Device: device.device = integer(value); return;
      case Key::Stream: device.stream = integer(value); return;
      case Key::Bytes: device.bytes = integer_or(value, -1); return;
      case Key::GraphId: device.graph_id = id(value); return;
      case Key::GraphNodeId: device.graph_node_id = id(value); return;
      case Key::Grid: triple(value, device.grid); return;
      case Key::Block: triple(value, device.block); return;
      case Key::Registers: device.registers = narrow(integer(value)); return;
      case Key::SharedMemory: device.shared_memory = narrow(integer(value)); return;
      case Key::Occupancy: device.occupancy = parse_float(token(value)) / 100; return;
      case Key::InputDims: op.input_dims = interned_json(value); break;
      case Key::InputTypes: op.input_types = interned_json(value); break;
      case Key::ConcreteInputs: op.concrete_inputs = interned_json(value); break;
      case Key::InputStrides: op.input_strides = interned_json(value); break;
      case Key::CallStack: op.call_stack = interned(value); break;
      case Key::ModuleHierarchy: op.module_hierarchy = interned(value); break;
      case Key::SequenceNumber: op.sequence_number = id(value); break;
      case Key::ForwardThread: op.forward_thread = id(value); break;
      case Key::Address: memory.address = static_cast<std::uint64_t>(integer_or(value, 0)); break;
      case Key::MemoryBytes: memory.bytes = integer_or(value, 0); break;
      case Key::TotalAllocated: memory.total_allocated = integer_or(value, -1); break;
      case Key::TotalReserved: memory.total_reserved = integer_or(value, -1); break;
      case Key::DeviceType: args.device_type = integer(value); break;
      case Key::DeviceId: memory.device_id = narrow(integer(value)); break;
      case Key::Collective: communication.collective = interned(value); break;
      case Key::CommunicatorId: communication.communicator_id = interned(value); break;
      case Key::DataType: communication.dtype = interned(value); break;
      case Key::GroupName: communication.group_name = interned(value); break;
      case Key::InElements: communication.in_elements = integer_or(value, -1); break;
      case Key::OutElements: communication.out_elements = integer_or(value, -1); break;
      case Key::GroupSize: communication.group_size = integer_or(value, -1); break;
      default: return;
    }
    args.has_op |= key >= Key::InputDims && key <= Key::ForwardThread;
    args.has_memory |= key == Key::MemoryBytes;
    args.has_communication |= key == Key::Collective || key == Key::CommunicatorId;
  }

  EventBatch& batch_;
  std::string& decoded_;
};

bool is_device_category(Category category) {
  return category == Category::Kernel || category == Category::Memcpy || category == Category::Memset ||
         category == Category::Sync || category == Category::DeviceAnnotation;
}

std::uint32_t append_row(auto& rows, const auto& row) {
  rows.push_back(row);
  return static_cast<std::uint32_t>(rows.size() - 1);
}

// Keeps of the args what this kind of event can use.
void attach_args(EventBatch& batch, Event& event, const Args& args) {
  event.correlation = args.correlation;
  event.external_id = args.external_id;
  if (event.phase == 'X') {
    const bool legacy_device = event.category == Category::None && event.pid.text != StringId::Empty;
    if (is_device_category(event.category) || legacy_device) {
      event.device_args = append_row(batch.device_args, args.device);
    } else if (args.has_op) {
      event.op_args = append_row(batch.op_args, args.op);
    }
    if (args.has_communication) {
      event.communication_args = append_row(batch.communication_args, args.communication);
    }
  } else if (args.has_memory) {
    MemoryArgs memory = args.memory;
    if (args.device_type == 0) {
      memory.device_id = -1;  // device type 0 is the host
    }
    event.memory_args = append_row(batch.memory_args, memory);
  }
}

}  // namespace

void EventBatch::clear() {
  events.clear();
  device_args.clear();
  op_args.clear();
  memory_args.clear();
  communication_args.clear();
  strings.clear();
  stats = {};
  has_fraction = false;
  has_illegal_escapes = false;
  first_repair.reset();
}

EventReader::EventReader() {
#ifdef SIMDJSON_THREADS_ENABLED
  window_parser_.threaded = false;  // windows are the unit of parallelism here
#endif
}

bool EventReader::read_event(ondemand::object object, EventBatch& batch) {
  Fields fields(batch, decoded_);
  for (auto field : object) {
    ondemand::value value;
    if (field.value().get(value) != simdjson::SUCCESS) {
      return false;
    }
    const Key key = find_event_key(field.key().value_unsafe().raw());
    if (key != Key::Unknown) {
      fields.set_event(key, value);
    }
    if (!fields.ok) {
      return false;
    }
  }
  Event& event = fields.event;
  event.is_untimed = event.has_time && event.has_duration && event.time_ns == 0 && event.duration_ns == 0;
  batch.stats.count(Stat::TextTimestamps, fields.has_text_times ? 1 : 0);
  attach_args(batch, event, fields.args);
  batch.events.push_back(event);
  return true;
}

bool EventReader::read_window(std::string_view text, std::size_t count, EventBatch& batch) {
  ondemand::document_stream stream;
  if (window_parser_.iterate_many(text.data(), text.size(), std::max<std::size_t>(text.size(), 64))
          .get(stream) != simdjson::SUCCESS) {
    return false;
  }
  std::size_t read = 0;
  for (auto document : stream) {
    ondemand::object object;
    if (document.get_object().get(object) != simdjson::SUCCESS || !read_event(object, batch)) {
      return false;
    }
    ++read;
  }
  return read == count && stream.truncated_bytes() == 0;
}

void EventReader::read_repaired(std::string_view text, EventBatch& batch) {
  event_text_ = simdjson::padded_string(text.size() + kWindowPadding);
  std::memset(event_text_.data(), ' ', event_text_.size());
  std::memcpy(event_text_.data(), text.data(), text.size());
  ondemand::document document;
  ondemand::object object;
  if (event_parser_.iterate(event_text_).get(document) != simdjson::SUCCESS ||
      document.get_object().get(object) != simdjson::SUCCESS || !read_event(object, batch)) {
    batch.stats.count(Stat::NotAnObject);
  }
}

}  // namespace foretell::ingest::kineto
