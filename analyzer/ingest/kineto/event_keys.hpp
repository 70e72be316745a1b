// SPDX-License-Identifier: Apache-2.0
// The keys of an event and of its arguments that are read, in the spellings of every generation.
#pragma once

#include <cstddef>
#include <cstdint>

namespace foretell::ingest::kineto {

enum class Key : std::uint8_t {
  Unknown,
  // event
  Phase,
  Category,
  Name,
  Pid,
  Tid,
  Timestamp,
  Duration,
  Id,
  Args,
  // args
  ExternalId,
  Correlation,
  Device,
  Stream,
  Bytes,
  GraphId,
  GraphNodeId,
  Grid,
  Block,
  Registers,
  SharedMemory,
  Occupancy,
  InputDims,
  InputTypes,
  ConcreteInputs,
  InputStrides,
  CallStack,
  ModuleHierarchy,
  SequenceNumber,
  ForwardThread,
  Address,
  MemoryBytes,
  TotalAllocated,
  TotalReserved,
  DeviceType,
  DeviceId,
  Collective,
  CommunicatorId,
  DataType,
  GroupName,
  InElements,
  OutElements,
  GroupSize,
};

// Longest key that is looked at.
inline constexpr std::size_t kMaxKey = 32;

// `raw` points behind the opening quote of a key; kMaxKey + 1 bytes from there must be readable. A key with
// escapes is Unknown.
Key find_event_key(const char* raw);
Key find_arg_key(const char* raw);

}  // namespace foretell::ingest::kineto
