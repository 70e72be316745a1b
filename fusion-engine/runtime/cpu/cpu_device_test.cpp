// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/runtime/cpu/cpu_device.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace foretell::runtime::cpu
