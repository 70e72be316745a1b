// SPDX-License-Identifier: Apache-2.0
// Device memory of the CPU, stream-ordered: memory released by the host is reused only by commands enqueued
// later.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "fusion-engine/runtime/cpu/stream.hpp"

namespace foretell::runtime::cpu {

struct AllocatorCounters {
  std::int64_t allocations = 0;         // calls
  std::int64_t system_allocations = 0;  // of those, how many went to the operating system or malloc
  std::int64_t live_bytes = 0;
  std::int64_t peak_bytes = 0;
};

class Allocator {
 public:
  virtual ~Allocator() = default;
  virtual std::string_view name() const = 0;
  // 64-byte aligned; size 0 gives a valid address. Out of memory aborts with the size asked for, as operator
  // new does.
  virtual std::byte* allocate(std::size_t size_bytes) = 0;
  virtual void release(std::byte* data, std::size_t size_bytes) = 0;  // the size it was asked for
  virtual AllocatorCounters counters() const = 0;
  virtual void reset_counters() = 0;  // live bytes stay
};

// Keeps what is released in lists by size class, as frameworks' caching allocators do.
std::unique_ptr<Allocator> make_caching_allocator();
// malloc and free each time. free runs in stream order: a command that the whole team goes through, and that
// is no launch in a step's counters.
std::unique_ptr<Allocator> make_system_allocator(Stream& stream);

}  // namespace foretell::runtime::cpu
