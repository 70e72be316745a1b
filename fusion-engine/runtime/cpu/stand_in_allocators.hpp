// SPDX-License-Identifier: Apache-2.0
// What takes the place of a device's allocator while a program's commands are enqueued.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "fusion-engine/runtime/cpu/cpu_device.hpp"
#include "src/base/check.hpp"

namespace foretell::runtime::cpu {

// The device has the other allocator as long as this lives.
class AllocatorScope {
 public:
  AllocatorScope(CpuDevice& device, std::unique_ptr<Allocator>& other) : device_(device), other_(other) {
    std::swap(device_.allocator, other_);
  }
  AllocatorScope(const AllocatorScope&) = delete;
  AllocatorScope& operator=(const AllocatorScope&) = delete;
  ~AllocatorScope() { std::swap(device_.allocator, other_); }

 private:
  CpuDevice& device_;
  std::unique_ptr<Allocator>& other_;
};

// Scratch memory of a step, one piece behind the other at a planned place; or, before there is one, only
// measured: then from a pool of its own, which is given back with it.
class ScratchAllocator final : public Allocator {
 public:
  // From here on `size_bytes` at `place`; nullptr: as much as is asked for, to be measured.
  void place(std::byte* place, std::int64_t size_bytes) {
    place_ = place;
    size_bytes_ = size_bytes;
    used_bytes_ = 0;
  }
  std::int64_t used_bytes() const { return used_bytes_; }

  std::string_view name() const override { return "arena"; }
  std::byte* allocate(std::size_t size_bytes) override {
    const std::int64_t before = used_bytes_;
    used_bytes_ += static_cast<std::int64_t>((size_bytes + kLine - 1) / kLine * kLine);
    if (place_ == nullptr) {
      return pool_->allocate(size_bytes);
    }
    FORETELL_CHECK(used_bytes_ <= size_bytes_);
    return place_ + before;
  }
  void release(std::byte* data, std::size_t size_bytes) override {
    if (place_ == nullptr) {
      pool_->release(data, size_bytes);
    }
  }
  AllocatorCounters counters() const override { return {}; }  // of an arena nothing is allocated
  void reset_counters() override {}

 private:
  static constexpr std::size_t kLine = 64;  // the alignment of device memory

  std::unique_ptr<Allocator> pool_ = make_caching_allocator();
  std::byte* place_ = nullptr;
  std::int64_t size_bytes_ = 0;
  std::int64_t used_bytes_ = 0;
};

}  // namespace foretell::runtime::cpu
