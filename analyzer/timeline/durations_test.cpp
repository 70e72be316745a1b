// SPDX-License-Identifier: Apache-2.0
#include "analyzer/timeline/durations.hpp"

#include <gtest/gtest.h>

#include "analyzer/timeline/test_profile.hpp"

namespace foretell::timeline {
namespace {

using profile::ApiKind;

DurationAudit audit(const profile::Profile& profile) { return audit_durations(profile, link(profile)); }

TEST(Durations, RecordThatRunsOverWholeLaterOnesIsClippedToTheNextStart) {
  const auto profile =
      TestProfile().kernel(0, 900'000, 1).kernel(200'000, 1'000, 2).kernel(400'000, 1'000, 3).finish();
  const DurationAudit found = audit(profile);
  EXPECT_EQ(found.corrupt, 1U);
  EXPECT_EQ(found.worst, 0U);
  EXPECT_EQ(found.duration_ns[0], 200'000);
  EXPECT_EQ(found.kernel_sum_ns, 202'000);
  EXPECT_EQ(found.overlapped_pairs, 0U);
}

TEST(Durations, NeighbourThatStartsBeforeTheEndIsAnOverlapAndStays) {
  const auto profile = TestProfile().kernel(0, 500'000, 1).kernel(300'000, 500'000, 2).finish();
  const DurationAudit found = audit(profile);
  EXPECT_EQ(found.corrupt, 0U);
  EXPECT_EQ(found.overlapped_pairs, 1U);
  EXPECT_EQ(found.overlap_ns, 200'000);
  EXPECT_EQ(found.duration_ns[0], 500'000);
}

TEST(Durations, OverlapAtTheBorderIsNotCorrupt) {
  // 100 us is the longest collision that is left alone
  const auto at = TestProfile().kernel(0, 200'000, 1).kernel(100'000, 1'000, 2).finish();
  EXPECT_EQ(audit(at).corrupt, 0U);
  const auto beyond = TestProfile().kernel(0, 200'001, 1).kernel(100'000, 1'000, 2).finish();
  EXPECT_EQ(audit(beyond).corrupt, 1U);
}

TEST(Durations, OtherStreamsBranchesOfOneReplayAndEqualStartsAreNoEvidence) {
  EXPECT_EQ(
      audit(TestProfile().kernel(0, 900'000, 1, "a", 7).kernel(200'000, 1'000, 2, "b", 8).finish()).corrupt,
      0U);
  EXPECT_EQ(audit(TestProfile()
                      .call(0, 5, 1, ApiKind::GraphLaunch)
                      .kernel(10, 900'000, 1, "a")
                      .kernel(200'000, 1'000, 1, "b")
                      .finish())
                .corrupt,
            0U);
  EXPECT_EQ(audit(TestProfile().kernel(0, 900'000, 1).kernel(0, 1'000, 2).finish()).corrupt, 0U);
}

TEST(Durations, NegativeOneIsEmpty) {
  const DurationAudit found = audit(TestProfile().kernel(10, -4, 1).finish());
  EXPECT_EQ(found.duration_ns[0], 0);
  EXPECT_EQ(found.kernel_sum_ns, 0);
}

}  // namespace
}  // namespace foretell::timeline
