// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/probe/copy.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <memory>

namespace foretell::probe {
namespace {

struct Block {
  explicit Block(std::size_t size_bytes)
      : data(static_cast<std::byte*>(std::aligned_alloc(64, (size_bytes + 127) / 64 * 64)), std::free),
        size(static_cast<std::int64_t>(size_bytes)) {}
  std::unique_ptr<std::byte, void (*)(void*)> data;
  std::int64_t size;
};

Block counted(std::size_t size_bytes) {
  Block block(size_bytes + 1);
  for (std::size_t i = 0; i <= size_bytes; ++i) {
    block.data.get()[i] = static_cast<std::byte>(i * 7 + 1);
  }
  return block;
}

// Every byte, and not one more.
TEST(Copy, MovesExactlyTheBytesAskedFor) {
  for (const CopyKind kind : kCopyKinds) {
    for (const std::size_t size : {0UL, 1UL, 63UL, 64UL, 65UL, 4096UL, 10'007UL}) {
      SCOPED_TRACE(testing::Message() << to_string(kind) << " " << size);
      const Block from = counted(size);
      const Block to(size + 1);
      std::memset(to.data.get(), 0, size + 1);
      copy(kind, to.data.get(), from.data.get(), static_cast<std::int64_t>(size));
      EXPECT_EQ(std::memcmp(to.data.get(), from.data.get(), size), 0);
      EXPECT_EQ(to.data.get()[size], std::byte{0});
    }
  }
}

TEST(LaunchCopy, TheTeamSharesItWithoutGapOrOverlap) {
  for (const int threads : {1, 2, 3}) {
    auto stream = runtime::cpu::Stream::create({.threads = threads, .one_lane = false, .pin = false});
    ASSERT_TRUE(stream);
    for (const CopyKind kind : kCopyKinds) {
      SCOPED_TRACE(testing::Message() << to_string(kind) << " " << threads);
      const Block from = counted(100'003);
      const Block to(100'004);
      std::memset(to.data.get(), 0, 100'004);
      launch_copy(**stream, kind, to.data.get(), from.data.get(), 100'003, 2);
      (*stream)->synchronize();
      EXPECT_EQ(std::memcmp(to.data.get(), from.data.get(), 100'003), 0);
      EXPECT_EQ(to.data.get()[100'003], std::byte{0});
    }
  }
}

TEST(SpendFlops, DoesAtLeastWhatWasAskedFor) {
  EXPECT_GE(spend_flops(1), 1);
  EXPECT_GE(spend_flops(1e5), 1e5);
  EXPECT_LT(spend_flops(1e5), 1.01e5);
}

}  // namespace
}  // namespace foretell::probe
