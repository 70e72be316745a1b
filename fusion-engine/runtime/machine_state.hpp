// SPDX-License-Identifier: Apache-2.0
// What a measurement needs of the machine: time, and whether it was left alone.
#pragma once

#include <cstdint>
#include <memory>

#include "fusion-engine/runtime/cpu/stream.hpp"

namespace foretell::runtime {

// Totals so far; what grows in a sample may have disturbed it.
struct Disturbance {
  std::int64_t involuntary_switches = 0;  // of the host thread and the workers
  std::int64_t steal_ticks = 0;           // time the hypervisor gave to others, in the kernel's ticks (10 ms)
  friend bool operator==(const Disturbance&, const Disturbance&) = default;
};

// The most time that what happened between two readings can have cost: what a thread of ours was put aside
// for, Linux keeps running for a slice of up to 3 ms (its base_slice_ns on eight processors and more); stolen
// time is counted in ticks.
inline std::int64_t cost_ns(const Disturbance& before, const Disturbance& after) {
  constexpr std::int64_t kSliceNs = 3'000'000;
  constexpr std::int64_t kTickNs = 10'000'000;
  return (after.involuntary_switches - before.involuntary_switches) * kSliceNs +
         (after.steal_ticks - before.steal_ticks) * kTickNs;
}

class MachineState {
 public:
  virtual ~MachineState() = default;
  virtual std::int64_t now_ns() = 0;      // monotonic
  virtual std::int64_t blocked_ns() = 0;  // of the host so far: waiting for the device
  // At the edge of a sample; may wait for the stream, and so not inside of it. What is read last before a
  // sample is read first after it: reading must not count as disturbance.
  virtual Disturbance disturbance_before() = 0;
  virtual Disturbance disturbance_after() = 0;
  virtual void wait(std::int64_t duration_ns) = 0;
};

// The machine itself: steady clock; getrusage of the calling thread, which is the stream's host, and what the
// stream says of its workers; the steal column of /proc/stat, of the processors that host and workers may run
// on. A kernel that doesn't tell counts as undisturbed.
std::unique_ptr<MachineState> this_machine(cpu::Stream& stream);

}  // namespace foretell::runtime
