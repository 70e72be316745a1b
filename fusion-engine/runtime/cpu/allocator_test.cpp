// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/runtime/cpu/allocator.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <random>
#include <set>
#include <string>

#include "fusion-engine/runtime/cpu/cpu_device.hpp"

namespace foretell::runtime::cpu {
namespace {

class EveryAllocator : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    auto device = open_cpu_device({.stream = {.threads = 1}, .allocator = GetParam()});
    ASSERT_TRUE(device.has_value());
    device_ = std::move(*device);
  }
  Allocator& allocator() { return *device_.allocator; }
  CpuDevice device_;
};
INSTANTIATE_TEST_SUITE_P(Allocator, EveryAllocator, ::testing::Values("caching", "system"),
                         [](const auto& test) { return test.param; });

TEST_P(EveryAllocator, HasItsName) { EXPECT_EQ(allocator().name(), GetParam()); }

TEST_P(EveryAllocator, BlocksAreAlignedApartAndHoldWhatTheyShould) {
  struct Block {
    std::byte* data;
    std::size_t size;
    unsigned char mark;
  };
  std::vector<Block> live;
  std::mt19937 random(1);
  for (int i = 0; i < 1000; ++i) {
    if (live.size() > 40 || (!live.empty() && random() % 3 == 0)) {
      const std::size_t at = random() % live.size();
      const Block block = live[at];
      for (const std::size_t end : {std::size_t{0}, block.size - 1}) {
        ASSERT_EQ(static_cast<unsigned char>(block.data[end]), block.mark);
      }
      allocator().release(block.data, block.size);
      live.erase(live.begin() + static_cast<std::ptrdiff_t>(at));
    } else {
      const std::size_t size = 1 + (random() >> (random() % 22 + 10));
      std::byte* const data = allocator().allocate(size);
      ASSERT_EQ(std::bit_cast<std::uintptr_t>(data) % 64, 0U) << size;
      const auto mark = static_cast<unsigned char>(random());
      std::memset(data, mark, size);
      live.push_back({data, size, mark});
    }
  }
  std::int64_t bytes = 0;
  for (const Block& block : live) {
    bytes += static_cast<std::int64_t>(block.size);
  }
  EXPECT_EQ(allocator().counters().live_bytes, bytes);
  EXPECT_GE(allocator().counters().peak_bytes, bytes);
  for (const Block& block : live) {
    allocator().release(block.data, block.size);
  }
  EXPECT_EQ(allocator().counters().live_bytes, 0);
}

TEST_P(EveryAllocator, NothingStillGetsAnAddress) {
  std::byte* const data = allocator().allocate(0);
  EXPECT_NE(data, nullptr);
  allocator().release(data, 0);
}

TEST_P(EveryAllocator, ResetKeepsLiveBytes) {
  std::byte* const data = allocator().allocate(1000);
  allocator().reset_counters();
  const AllocatorCounters counters = allocator().counters();
  EXPECT_EQ(counters.allocations, 0);
  EXPECT_EQ(counters.live_bytes, 1000);
  EXPECT_EQ(counters.peak_bytes, 1000);
  allocator().release(data, 1000);
}

TEST(CachingAllocator, ReusesWhatWasReleasedLast) {
  const auto allocator = make_caching_allocator();
  for (const std::size_t size : {1U, 64U, 100U, 4096U, 1U << 20U, (1U << 20U) + 1U, 5U << 20U}) {
    std::byte* const first = allocator->allocate(size);
    std::byte* const second = allocator->allocate(size);
    EXPECT_NE(first, second);
    allocator->release(first, size);
    allocator->release(second, size);
    const std::int64_t before = allocator->counters().system_allocations;
    EXPECT_EQ(allocator->allocate(size), second) << size;
    EXPECT_EQ(allocator->allocate(size), first) << size;
    EXPECT_EQ(allocator->counters().system_allocations, before);
  }
}

TEST(CachingAllocator, SmallBlocksShareASystemAllocation) {
  const auto allocator = make_caching_allocator();
  std::set<std::byte*> blocks;
  for (int i = 0; i < 100; ++i) {
    blocks.insert(allocator->allocate(4096));
  }
  EXPECT_EQ(blocks.size(), 100U);
  EXPECT_EQ(allocator->counters().system_allocations, 1);
}

TEST(SystemAllocator, AsksEachTime) {
  const auto stream = Stream::create({.one_lane = true}).value();
  const auto allocator = make_system_allocator(*stream);
  for (int i = 0; i < 10; ++i) {
    allocator->release(allocator->allocate(4096), 4096);
  }
  EXPECT_EQ(allocator->counters().system_allocations, 10);
}

TEST(SystemAllocator, FreesInStreamOrder) {
  const auto stream = Stream::create({.threads = 1}).value();
  const auto allocator = make_system_allocator(*stream);
  int sum = 0;
  for (int i = 0; i < 2000; ++i) {
    std::byte* const data = allocator->allocate(64);
    stream->launch([data](const Lane&) { data[63] = std::byte{1}; });
    stream->launch([data, to = &sum](const Lane&) { *to += static_cast<int>(data[63]); });
    allocator->release(data, 64);
  }
  stream->synchronize();
  EXPECT_EQ(sum, 2000);  // and AddressSanitizer has seen no use after free
}

TEST(CpuDevice, UnknownAllocatorIsAnError) {
  const auto device = open_cpu_device({.allocator = "arena"});
  ASSERT_FALSE(device.has_value());
  EXPECT_EQ(device.error().code, ErrorCode::Usage);
  EXPECT_EQ(device.error().message, "expected caching or system, found 'arena'");
}

}  // namespace
}  // namespace foretell::runtime::cpu
