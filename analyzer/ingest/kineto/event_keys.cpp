// SPDX-License-Identifier: Apache-2.0
#include "analyzer/ingest/kineto/event_keys.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <string_view>

namespace foretell::ingest::kineto {
namespace {

struct KeyName {
  std::string_view text;
  Key key;
};

// Both generations of a spelling are rows; sorted by length for the look-up.
constexpr std::array kEventKeys{
    KeyName{"ph", Key::Phase},     KeyName{"ts", Key::Timestamp}, KeyName{"id", Key::Id},
    KeyName{"cat", Key::Category}, KeyName{"pid", Key::Pid},      KeyName{"tid", Key::Tid},
    KeyName{"dur", Key::Duration}, KeyName{"name", Key::Name},    KeyName{"args", Key::Args},
};
constexpr std::array kArgKeys{
    KeyName{"grid", Key::Grid},
    KeyName{"Addr", Key::Address},
    KeyName{"bytes", Key::Bytes},
    KeyName{"Bytes", Key::MemoryBytes},
    KeyName{"block", Key::Block},
    KeyName{"dtype", Key::DataType},
    KeyName{"device", Key::Device},
    KeyName{"stream", Key::Stream},
    KeyName{"Comms Id", Key::CommunicatorId},
    KeyName{"graph id", Key::GraphId},
    KeyName{"Device Id", Key::DeviceId},
    KeyName{"Group size", Key::GroupSize},
    KeyName{"Call stack", Key::CallStack},
    KeyName{"Input Dims", Key::InputDims},
    KeyName{"Input dims", Key::InputDims},
    KeyName{"Input type", Key::InputTypes},
    KeyName{"Device Type", Key::DeviceType},
    KeyName{"External id", Key::ExternalId},
    KeyName{"external id", Key::ExternalId},
    KeyName{"correlation", Key::Correlation},
    KeyName{"Input Strides", Key::InputStrides},
    KeyName{"graph node id", Key::GraphNodeId},
    KeyName{"shared memory", Key::SharedMemory},
    KeyName{"In msg nelems", Key::InElements},
    KeyName{"Fwd thread id", Key::ForwardThread},
    KeyName{"Out msg nelems", Key::OutElements},
    KeyName{"Total Reserved", Key::TotalReserved},
    KeyName{"Concrete Inputs", Key::ConcreteInputs},
    KeyName{"Collective name", Key::Collective},
    KeyName{"Sequence number", Key::SequenceNumber},
    KeyName{"Total Allocated", Key::TotalAllocated},
    KeyName{"Module Hierarchy", Key::ModuleHierarchy},
    KeyName{"Process Group Name", Key::GroupName},
    KeyName{"registers per thread", Key::Registers},
    KeyName{"est. achieved occupancy %", Key::Occupancy},
};
static_assert(std::ranges::is_sorted(kEventKeys, {}, [](const KeyName& k) { return k.text.size(); }));
static_assert(std::ranges::is_sorted(kArgKeys, {}, [](const KeyName& k) { return k.text.size(); }));

struct KeyTable {
  std::span<const KeyName> rows;
  std::array<std::uint8_t, kMaxKey + 2> first{};  // for each length, the first row of at least that length
};

constexpr KeyTable index_by_length(std::span<const KeyName> rows) {
  KeyTable table{.rows = rows};
  for (std::size_t length = 0; length < table.first.size(); ++length) {
    table.first[length] = static_cast<std::uint8_t>(
        std::ranges::lower_bound(rows, length, {}, [](const KeyName& k) { return k.text.size(); }) -
        rows.begin());
  }
  return table;
}
constexpr KeyTable kEventTable = index_by_length(kEventKeys);
constexpr KeyTable kArgTable = index_by_length(kArgKeys);

// `raw` points behind the opening quote of a key.
Key find_key(const KeyTable& table, const char* raw) {
  const void* quote = std::memchr(raw, '"', kMaxKey + 1);
  if (quote == nullptr) {
    return Key::Unknown;
  }
  const auto length = static_cast<std::size_t>(static_cast<const char*>(quote) - raw);
  for (std::size_t row = table.first[length]; row < table.first[length + 1]; ++row) {
    if (std::memcmp(table.rows[row].text.data(), raw, length) == 0) {
      return table.rows[row].key;
    }
  }
  return Key::Unknown;
}

}  // namespace

Key find_event_key(const char* raw) { return find_key(kEventTable, raw); }
Key find_arg_key(const char* raw) { return find_key(kArgTable, raw); }

}  // namespace foretell::ingest::kineto
