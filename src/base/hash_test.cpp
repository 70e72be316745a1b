// SPDX-License-Identifier: Apache-2.0
#include "src/base/hash.hpp"

#include <gtest/gtest.h>

namespace foretell {
namespace {

// draft-eastlake-fnv, appendix C: test vectors of 64 bits.
TEST(Fnv1a, HasThePublishedValues) {
  EXPECT_EQ(fnv1a(""), 0xCBF29CE484222325U);
  EXPECT_EQ(fnv1a("a"), 0xAF63DC4C8601EC8CU);
  EXPECT_EQ(fnv1a("foobar"), 0x85944171F73967E8U);
}

TEST(Fnv1a, ContinuesFromAHash) { EXPECT_EQ(fnv1a("bar", fnv1a("foo")), fnv1a("foobar")); }

}  // namespace
}  // namespace foretell
