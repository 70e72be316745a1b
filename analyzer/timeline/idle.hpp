// SPDX-License-Identifier: Apache-2.0
// Why the device was idle: every moment without a kernel, copy or set on it gets one class, from what the
// thread that launched the next activity was doing.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "analyzer/profile/profile.hpp"
#include "analyzer/timeline/durations.hpp"
#include "analyzer/timeline/kernel_class.hpp"
#include "analyzer/timeline/links.hpp"

namespace foretell::timeline {

enum class IdleClass : std::uint8_t {
  Launch,             // starved: the host was issuing ops one by one
  Host,               // starved: the host worked for long without launching, or between graph replays
  Input,              // the host was in the data loader
  Sync,               // the host waited for the device, which ran dry, and had to start anew
  Copy,               // the host was held by a copy call
  Allocation,         // the host was in a device allocation or free that reached the driver
  Communication,      // the host was in a collective
  OtherStream,        // queued work waited for an event of another stream
  Compile,            // the host was compiling or recording a graph
  Profiler,           // the profiler's own work, its closing synchronisation included
  Lock,               // the host waited for a lock of its own
  GarbageCollection,  // the host collected garbage
  UnknownWait,        // the host was silent for long, or queued work did not start: nothing recorded says why
  Queue,              // between two activities of a full queue or of one graph replay, up to 20 us
  Unattributed,       // no launch and no host records to tell from
  kCount,
};
inline constexpr std::size_t kIdleClasses = static_cast<std::size_t>(IdleClass::kCount);
std::string_view to_string(IdleClass idle_class);  // as in JSON: "other_stream"

using IdleTimes = std::array<std::int64_t, kIdleClasses>;  // ns, by class
constexpr std::int64_t& of(IdleTimes& times, IdleClass idle_class) {
  return times[static_cast<std::size_t>(idle_class)];
}
constexpr std::int64_t of(const IdleTimes& times, IdleClass idle_class) {
  return times[static_cast<std::size_t>(idle_class)];
}

// What a device did at a time.
enum class BusyClass : std::uint8_t {
  Kernels,        // at least one kernel that is no collective
  Communication,  // collectives only: exposed
  Copies,         // copies and sets only: exposed
  kCount,
};

std::string_view to_string(BusyClass busy_class);  // "kernels"

// One stretch of a device's time: idle for one reason, or busy in one way.
struct Tile {
  std::int64_t begin_ns = 0, end_ns = 0;
  bool idle = false;
  IdleClass idle_class = IdleClass::Unattributed;
  BusyClass busy_class = BusyClass::Kernels;
  std::uint32_t next = profile::kNoRow;  // idle: the activity that ends it; kNoRow: none does
  std::uint32_t call = profile::kNoRow;  // idle: the call that held the host (Sync, Copy, Allocation)
};

// Tiles in order of time that cover the trace from its first to its last event without overlap.
struct DeviceTiles {
  std::uint32_t device = 0;  // row of Profile::devices
  std::vector<Tile> tiles;
};

// One entry per active device. `step_ns`: of the steady window; what another thread does for half of it is
// taken to limit the step.
std::vector<DeviceTiles> attribute_time(const profile::Profile& profile, const Links& links,
                                        const DurationAudit& audit, const Column<KernelClass>& classes,
                                        std::int64_t step_ns);

}  // namespace foretell::timeline
