// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "fusion-engine/runtime/cpu/allocator.hpp"

namespace foretell::runtime::cpu {
namespace {

constexpr std::size_t kAlignment = 64;

// Used by the stream's host alone, like the caching one. The C library's free runs as a command, after
// whatever still uses the memory; it may then give the pages back to the system, to be faulted in anew.
class SystemAllocator final : public Allocator {
 public:
  explicit SystemAllocator(Stream& stream) : stream_(stream) {}

  std::string_view name() const override { return "system"; }

  std::byte* allocate(std::size_t size_bytes) override {
    const std::size_t whole = std::max((size_bytes + kAlignment - 1) / kAlignment * kAlignment, kAlignment);
    void* const data = std::aligned_alloc(kAlignment, whole);
    if (data == nullptr) {
      std::fprintf(stderr, "foretell: out of memory: asked for %zu bytes\n", size_bytes);
      std::abort();
    }
    ++counters_.allocations;
    ++counters_.system_allocations;
    counters_.live_bytes += static_cast<std::int64_t>(size_bytes);
    counters_.peak_bytes = std::max(counters_.peak_bytes, counters_.live_bytes);
    return static_cast<std::byte*>(data);
  }

  void release(std::byte* data, std::size_t size_bytes) override {
    counters_.live_bytes -= static_cast<std::int64_t>(size_bytes);
    stream_.launch([data](const Lane& lane) {
      if (lane.rank == 0) {
        std::free(data);
      }
    });
  }

  AllocatorCounters counters() const override { return counters_; }
  void reset_counters() override {
    counters_ = {.live_bytes = counters_.live_bytes, .peak_bytes = counters_.live_bytes};
  }

 private:
  Stream& stream_;
  AllocatorCounters counters_;
};

}  // namespace

std::unique_ptr<Allocator> make_system_allocator(Stream& stream) {
  return std::make_unique<SystemAllocator>(stream);
}

}  // namespace foretell::runtime::cpu
