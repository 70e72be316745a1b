// SPDX-License-Identifier: Apache-2.0
// What memory costs a step: requests to the framework's allocator, and those that reached the driver.
#pragma once

#include <cstdint>

#include "analyzer/profile/profile.hpp"
#include "analyzer/timeline/per_step.hpp"
#include "analyzer/timeline/steps.hpp"

namespace foretell::timeline {

// Requests to the framework's caching allocator, from its own records (host cost: part of the ops).
struct AllocatorRequests {
  StepSum allocations, frees;
  StepSum allocated_bytes;
};

// Calls of the runtime or driver. A driver call inside a runtime call is part of it.
struct DriverRequests {
  StepSum calls;
  StepSum call_ns;  // host time
};

struct Allocations {
  bool recorded = false;  // the trace holds allocator records (profile_memory)
  AllocatorRequests device, host;
  // Of the device whose peak is highest; -1: not recorded. Where the allocator's total is not recorded, the
  // running sum of what was allocated within the trace: a lower bound.
  std::int64_t peak_allocated_bytes = -1;
  std::int64_t peak_reserved_bytes = -1;
  StepSum reserved_growth_bytes;  // net, all devices

  DriverRequests device_allocate, device_free;  // also asynchronous and pool forms
  DriverRequests host_allocate, host_free;      // pinned host memory
  // Time in all four kinds of call within steady steps / time of those steps (so that a burst in few of them
  // counts).
  double driver_share = 0;
  // Steady steps in which a device allocation followed a device free on one thread with no launch between
  // them, as a caching allocator does that ran out of memory, gives back what it holds and asks anew.
  // Stream-ordered (Async) calls do not tell.
  std::uint64_t retry_steps = 0;
};

Allocations compute_allocations(const profile::Profile& profile, const Steps& steps);

}  // namespace foretell::timeline
