// SPDX-License-Identifier: Apache-2.0
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "fusion-engine/runtime/cpu/allocator.hpp"

namespace foretell::runtime::cpu {
namespace {

constexpr std::size_t kAlignment = 64;                   // a cache line, and the widest vector
constexpr std::size_t kHugePage = std::size_t{2} << 20;  // x86-64 and aarch64 with 4 KiB pages
// Blocks up to here are cut from chunks of one huge page, so that small tensors share pages and system calls
// (PyTorch's caching allocator draws the line at 1 MiB).
constexpr std::size_t kLargestCut = std::size_t{1} << 20;

// Four sizes per power of two: a block is at most a quarter larger than what was asked for. Pages never
// touched cost nothing, so of a large block the surplus is but address space.
struct SizeClass {
  std::size_t index;
  std::size_t size_bytes;
};
SizeClass class_of(std::size_t size_bytes) {
  constexpr std::size_t kFine =
      4 * kAlignment;  // up to here a quarter of the power of two is less than a line
  if (size_bytes <= kFine) {
    const std::size_t lines = std::max((size_bytes + kAlignment - 1) / kAlignment, std::size_t{1});
    return {.index = lines, .size_bytes = lines * kAlignment};
  }
  const auto log = static_cast<std::size_t>(std::bit_width(size_bytes - 1));  // it is in (2^(log-1), 2^log]
  const std::size_t floor = (std::size_t{1} << log) / 2;
  const std::size_t step = floor / 4;
  const std::size_t steps = (size_bytes - floor + step - 1) / step;  // 1 to 4
  return {.index = log * 4 + steps, .size_bytes = floor + steps * step};
}

struct Mapping {
  std::byte* data = nullptr;
  std::size_t size_bytes = 0;
};

// Aligned to huge pages, if it is that large, and asked to be made of them: a fault, and an entry of the
// address translation cache, per 2 MiB rather than 4 KiB.
std::byte* map(std::size_t size_bytes) {
  const std::size_t slack = size_bytes >= kHugePage ? kHugePage : 0;
  void* const mapped =
      ::mmap(nullptr, size_bytes + slack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) {
    return nullptr;
  }
  auto* data = static_cast<std::byte*>(mapped);
  if (slack > 0) {
    const std::size_t over = std::bit_cast<std::uintptr_t>(data) % kHugePage;
    const std::size_t head = over == 0 ? 0 : kHugePage - over;
    if (head > 0) {
      ::munmap(data, head);
    }
    if (slack > head) {
      ::munmap(data + head + size_bytes, slack - head);
    }
    data += head;
    ::madvise(data, size_bytes, MADV_HUGEPAGE);  // where there are none, small ones do
  }
  return data;
}

// One thread, the stream's host, allocates and releases, so no lock is needed. A block that was released may
// be handed out at once: whoever uses it next is enqueued later, and the stream is in order.
class CachingAllocator final : public Allocator {
 public:
  ~CachingAllocator() override {
    for (const Mapping& mapping : mappings_) {
      ::munmap(mapping.data, mapping.size_bytes);
    }
  }

  std::string_view name() const override { return "caching"; }

  std::byte* allocate(std::size_t size_bytes) override {
    const SizeClass size_class = class_of(size_bytes);
    ++counters_.allocations;
    counters_.live_bytes += static_cast<std::int64_t>(size_bytes);
    counters_.peak_bytes = std::max(counters_.peak_bytes, counters_.live_bytes);
    std::vector<std::byte*>& free = free_[size_class.index];
    if (!free.empty()) {
      std::byte* const data = free.back();  // the one used last is the likeliest to be in a cache
      free.pop_back();
      return data;
    }
    return size_class.size_bytes <= kLargestCut ? cut(size_class.size_bytes)
                                                : map_block(size_class.size_bytes);
  }

  void release(std::byte* data, std::size_t size_bytes) override {
    counters_.live_bytes -= static_cast<std::int64_t>(size_bytes);
    free_[class_of(size_bytes).index].push_back(data);
  }

  AllocatorCounters counters() const override { return counters_; }
  void reset_counters() override {
    counters_ = {.live_bytes = counters_.live_bytes, .peak_bytes = counters_.live_bytes};
  }

 private:
  std::byte* cut(std::size_t size_bytes) {
    if (chunk_left_ < size_bytes) {
      chunk_ = map_block(kHugePage);
      chunk_left_ = kHugePage;
    }
    std::byte* const data = chunk_;
    chunk_ += size_bytes;
    chunk_left_ -= size_bytes;
    return data;
  }

  std::byte* map_block(std::size_t size_bytes) {
    const std::size_t pages = (size_bytes + kHugePage - 1) / kHugePage * kHugePage;
    std::byte* const data = map(pages);
    if (data == nullptr) {
      std::fprintf(stderr, "foretell: out of memory: asked for %zu bytes\n", size_bytes);
      std::abort();
    }
    ++counters_.system_allocations;
    mappings_.push_back({.data = data, .size_bytes = pages});
    return data;
  }

  static constexpr std::size_t kClasses = 64 * 4 + 5;
  std::array<std::vector<std::byte*>, kClasses> free_;
  std::vector<Mapping> mappings_;
  std::byte* chunk_ = nullptr;
  std::size_t chunk_left_ = 0;
  AllocatorCounters counters_;
};

}  // namespace

std::unique_ptr<Allocator> make_caching_allocator() { return std::make_unique<CachingAllocator>(); }

}  // namespace foretell::runtime::cpu
