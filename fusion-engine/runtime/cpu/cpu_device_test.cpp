// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/runtime/cpu/cpu_device.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "src/base/directories.hpp"

namespace foretell::runtime::cpu {
namespace {

struct Cache {
  std::string level;
  std::string type;
  std::string size;
};

class CacheDirectory : public ::testing::Test {
 protected:
  void SetUp() override {
    auto made = make_unique_directory(::testing::TempDir(), "caches_");
    ASSERT_TRUE(made.has_value());
    directory_ = *std::move(made);
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }
  CacheSizes read(std::initializer_list<Cache> caches) {
    int index = 0;
    for (const Cache& cache : caches) {
      const std::filesystem::path at = directory_ / ("index" + std::to_string(index++));
      std::filesystem::create_directories(at);
      std::ofstream(at / "level") << cache.level << '\n';
      std::ofstream(at / "type") << cache.type << '\n';
      std::ofstream(at / "size") << cache.size << '\n';
    }
    return read_cache_sizes(directory_);
  }
  std::filesystem::path directory_;
};

TEST_F(CacheDirectory, ReadsLevelsAndUnits) {
  const CacheSizes sizes = read({{"1", "Data", "48K"},
                                 {"1", "Instruction", "64K"},
                                 {"2", "Unified", "2M"},
                                 {"3", "Unified", "491520K"}});
  EXPECT_EQ(sizes.l1_bytes, 48 << 10);
  EXPECT_EQ(sizes.l2_bytes, 2 << 20);
  EXPECT_EQ(sizes.last_level_bytes, std::int64_t{480} << 20);
}

TEST_F(CacheDirectory, LastLevelIsTheLargestThereIs) {
  EXPECT_EQ(read({{"1", "Data", "32K"}, {"2", "Unified", "1024K"}}).last_level_bytes, 1 << 20);
}

TEST_F(CacheDirectory, WhatIsNotThereKeepsItsDefault) {
  EXPECT_EQ(read({}).last_level_bytes, CacheSizes{}.last_level_bytes);
  EXPECT_EQ(read({{"1", "Data", "many"}}).l1_bytes, CacheSizes{}.l1_bytes);
}

TEST(CpuDevice, StreamsFromTheLastLevelCacheOnUntilToldOtherwise) {
  CpuDevice device = open_cpu_device({.stream = {.threads = 1}}).value();
  EXPECT_EQ(device.streaming_bytes, device.caches.last_level_bytes);
  device.streaming_bytes = 4096;
  EXPECT_FALSE(device.streams(4095));
  EXPECT_TRUE(device.streams(4096));
}

TEST(CpuDevice, RunsWhatIsPendingBeforeItsMemoryGoes) {
  constexpr std::size_t kBytes = std::size_t{8} << 20;
  constexpr int kCommands = 50;
  for (const char* allocator : {"caching", "system"}) {
    int count = 0;
    {
      const CpuDevice device = open_cpu_device({.stream = {.threads = 1}, .allocator = allocator}).value();
      std::byte* const data = device.allocator->allocate(kBytes);
      for (int i = 0; i < kCommands; ++i) {
        device.stream->launch([data, to = &count](const Lane&) {
          std::fill_n(data, kBytes, std::byte{1});
          ++*to;
        });
      }
      device.allocator->release(data, kBytes);
    }
    EXPECT_EQ(count, kCommands) << allocator;
  }
}

}  // namespace
}  // namespace foretell::runtime::cpu
