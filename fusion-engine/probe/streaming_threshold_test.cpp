// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/probe/streaming_threshold.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace foretell::probe {
namespace {

constexpr std::int64_t kMiB = 1 << 20;

// Streaming wins at the sizes named.
struct Machine {
  std::set<std::int64_t> wins_mib;
  std::vector<std::int64_t> asked_mib;

  std::optional<ProbedConstant> find(std::int64_t least_bytes, std::int64_t most_bytes) {
    const auto found =
        find_streaming_threshold(least_bytes, most_bytes, [&](std::int64_t size) -> Result<StreamingTrial> {
          asked_mib.push_back(size / kMiB);
          return StreamingTrial{10, wins_mib.contains(size / kMiB) ? 11.0 : 10.0, 6};
        });
    EXPECT_TRUE(found);
    return *found;
  }
};

TEST(StreamingThreshold, IsTheSmallestPowerOfTwoFromWhichOnItAlwaysWins) {
  Machine machine{.wins_mib = {4, 16, 32, 64}, .asked_mib = {}};
  const auto found = machine.find(4 * kMiB, 100 * kMiB);

  ASSERT_TRUE(found);
  EXPECT_EQ(found->constant.name, "streaming_bytes");
  EXPECT_EQ(found->constant.unit, "bytes");
  EXPECT_EQ(found->constant.low, 8 * kMiB);
  EXPECT_EQ(found->constant.expected, 16 * kMiB);
  EXPECT_EQ(found->constant.high, 16 * kMiB);
  EXPECT_EQ(found->constant.provenance, Provenance::Probed);
  EXPECT_EQ(found->samples, 4 * 6);
  EXPECT_EQ(machine.asked_mib, (std::vector<std::int64_t>{64, 32, 16, 8}));
}

TEST(StreamingThreshold, WhereItNeverLosesTheSmallestTriedIsAllThatIsKnown) {
  Machine machine{.wins_mib = {8, 16}, .asked_mib = {}};
  const auto found = machine.find(5 * kMiB, 16 * kMiB);

  ASSERT_TRUE(found);
  EXPECT_EQ(found->constant.low, 8 * kMiB);
  EXPECT_EQ(found->constant.expected, 8 * kMiB);
}

TEST(StreamingThreshold, NoneWhereTheLargestIsLostOrNothingCanBeTried) {
  EXPECT_FALSE((Machine{.wins_mib = {8, 16}, .asked_mib = {}}.find(8 * kMiB, 32 * kMiB)));
  EXPECT_FALSE((Machine{.wins_mib = {8, 16}, .asked_mib = {}}.find(32 * kMiB, 16 * kMiB)));
  EXPECT_FALSE((Machine{.wins_mib = {}, .asked_mib = {}}.find(0, 0)));
}

TEST(StreamingThreshold, AnErrorEndsIt) {
  const auto found = find_streaming_threshold(
      1, 8, [](std::int64_t) -> Result<StreamingTrial> { return fail(ErrorCode::Environment, "", "gone"); });

  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().message, "gone");
}

}  // namespace
}  // namespace foretell::probe
