// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/codegen/content_hash.hpp"

#include <gtest/gtest.h>

#include <string>

namespace foretell::codegen {
namespace {

// Test vectors of draft-eastlake-fnv, appendix on FNV-1a with 128 bits.
TEST(ContentHash, GivesThePublishedValues) {
  EXPECT_EQ(to_string(content_hash("")), "6c62272e07bb014262b821756295c58d");
  EXPECT_EQ(to_string(content_hash("a")), "d228cb696f1a8caf78912b704e4a8964");
  EXPECT_EQ(to_string(content_hash("foobar")), "343e1662793c64bf6f0d3597ba446f18");
}

TEST(ContentHash, GoesOnFromWhereItStopped) {
  EXPECT_EQ(content_hash("bar", content_hash("foo")), content_hash("foobar"));
}

TEST(ContentHash, SeesEachFlippedBit) {
  const std::string text(64, 'x');
  for (std::size_t i = 0; i < text.size() * 8; ++i) {
    std::string changed = text;
    changed[i / 8] = static_cast<char>(changed[i / 8] ^ (1 << (i % 8)));
    EXPECT_NE(content_hash(changed), content_hash(text)) << "bit " << i;
  }
}

}  // namespace
}  // namespace foretell::codegen
