// SPDX-License-Identifier: Apache-2.0
#include "analyzer/timeline/step_doubt.hpp"

#include <gmock/gmock.h>

#include "analyzer/timeline/test_profile.hpp"
#include "analyzer/timeline/timeline.hpp"

namespace foretell::timeline {
namespace {

using testing::HasSubstr;

constexpr std::int64_t kMs = 1'000'000;

std::string doubt_of(TestProfile& builder) { return compute_timeline(builder.finish()).integrity.step_doubt; }

TEST(StepDoubt, ASingleKernelSaysNothing) {
  TestProfile profile;
  profile.call(0, 10, 1).kernel(10, 100, 1);

  EXPECT_THAT(doubt_of(profile), HasSubstr("a single kernel"));
}

TEST(StepDoubt, OneGapThatIsMostOfAWholeTrace) {
  TestProfile profile;
  profile.call(0, 1'000, 1).kernel(1'000, kMs, 1).call(20 * kMs, 1'000, 2).kernel(20 * kMs + 1'000, kMs, 2);

  EXPECT_THAT(doubt_of(profile), HasSubstr("a single gap of 19.0 ms (idle class unknown_wait)"));
}

TEST(StepDoubt, CompilationInAWholeTrace) {
  TestProfile profile;
  profile.call(0, 1'000, 1).kernel(1'000, kMs, 1).call(2 * kMs, 1'000, 2).kernel(2 * kMs + 1'000, kMs, 2);
  profile.compilation(kMs + 1'000, kMs / 2);

  EXPECT_THAT(doubt_of(profile), HasSubstr("compilation lies inside the window"));
}

TEST(StepDoubt, MarkedStepsAreNotDoubtedForTheirGaps) {
  TestProfile profile;
  for (int i = 0; i < 4; ++i) {
    profile.step(i * 20 * kMs, 20 * kMs, "ProfilerStep#" + std::to_string(i))
        .call(i * 20 * kMs, 1'000, i + 1)
        .kernel(i * 20 * kMs + 1'000, kMs, i + 1);
  }

  EXPECT_EQ(doubt_of(profile), "");
}

}  // namespace
}  // namespace foretell::timeline
