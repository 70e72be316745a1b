// SPDX-License-Identifier: Apache-2.0
#include "analyzer/timeline/links.hpp"

#include <gtest/gtest.h>

#include "analyzer/timeline/test_profile.hpp"

namespace foretell::timeline {
namespace {

using profile::ApiKind;
using profile::kNoRow;

TEST(Links, RuntimeCallAndTheDriverCallBelowItAreOneLaunch) {
  const auto profile = TestProfile().call(0, 9, 5, ApiKind::Other).call(1, 7, 5).kernel(20, 5, 5).finish();
  const Links links = link(profile);
  ASSERT_NE(links.call_of_activity[0], kNoRow);
  EXPECT_EQ(profile.api_calls.kind[links.call_of_activity[0]], ApiKind::KernelLaunch);
  EXPECT_EQ(links.ambiguous_activities, 0U);
}

TEST(Links, TwoLaunchesWithOneIdAreAmbiguousAndMakeNoLink) {
  const auto profile = TestProfile().call(0, 5, 5).call(10, 5, 5).kernel(20, 5, 5).finish();
  const Links links = link(profile);
  EXPECT_EQ(links.call_of_activity[0], kNoRow);
  EXPECT_EQ(links.ambiguous_activities, 1U);
  EXPECT_EQ(links.linked_kernels, 1U) << "the raw share asks only whether a call matches";
}

TEST(Links, CallWithoutExternalIdBelongsToTheInnermostOpAroundIt) {
  const auto profile = TestProfile()
                           .op(0, 100, "outer", 1)
                           .op(10, 50, "inner", 2)
                           .call(20, 5, 7)
                           .call(80, 5, 8)
                           .call(200, 5, 9)
                           .finish();
  const Links links = link(profile);
  EXPECT_EQ(profile.text(profile.host_ops.name[links.op_of_call[0]]), "inner");
  EXPECT_EQ(profile.text(profile.host_ops.name[links.op_of_call[1]]), "outer");
  EXPECT_EQ(links.op_of_call[2], kNoRow);
}

TEST(Links, KernelOfAReplayBelongsToNoOp) {
  const auto profile = TestProfile()
                           .op(0, 100, "replay", 1)
                           .call(20, 5, 7, ApiKind::GraphLaunch, 1, "cudaGraphLaunch")
                           .kernel(50, 5, 7)
                           .finish();
  const Links links = link(profile);
  EXPECT_NE(links.op_of_call[0], kNoRow);
  EXPECT_EQ(links.op_of_activity[0], kNoRow);
}

TEST(Links, LaunchesThatNoRecordRefersToAreCounted) {
  const auto profile = TestProfile()
                           .call(0, 5, 1)
                           .call(10, 5, 2)
                           .call(20, 5, 3, ApiKind::Synchronize)
                           .kernel(30, 5, 1)
                           .finish();
  EXPECT_EQ(link(profile).launches_without_activity, 1U);
}

}  // namespace
}  // namespace foretell::timeline
