// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "analyzer/checks/test_case.hpp"

namespace foretell::checks {
namespace {

using timeline::IdleClass;

constexpr std::string_view kPageable = "Memcpy HtoD (Pageable -> Device)";
constexpr std::string_view kPinned = "Memcpy HtoD (Pinned -> Device)";

// Kernels until 610 us, then so many copies of 20 us and 1 MiB.
TestTrace copying(std::string_view name, int copies, std::int64_t copy_ns = 20 * kUs) {
  return steps_of([=](TestTrace& trace, std::int64_t begin) {
    multiply(trace, begin);
    for (int i = 0; i < copies; ++i) {
      const std::int64_t at = begin + 610 * kUs + i * copy_ns;
      trace.copy(at - 300 * kUs, at - 290 * kUs, at, copy_ns, name, 1 << 20);
    }
  });
}

TestView copy_idle(TestTrace trace, std::int64_t ns) { return trace.view().idle(IdleClass::Copy, ns); }

class PageableCopiesTest : public testing::TestWithParam<CheckCase> {};

TEST_P(PageableCopiesTest, Says) { expect_case("pageable_copies", GetParam()); }

INSTANTIATE_TEST_SUITE_P(
    Checks, PageableCopiesTest,
    testing::Values(
        CheckCase{"Fires", [] { return copying(kPageable, 10).view(); }, Verdict::Binds,
                  "10 host copies a step (10 pageable) move 10.0 MiB in 200 us; nothing else runs for 200 "
                  "us, and the "
                  "device is idle 0 ns around them (20.0 % of the 1.00 ms step)",
                  1000.0 / 800},
        CheckCase{"OneCopy", [] { return copying(kPageable, 1).view(); }, Verdict::Clear,
                  "1 host copy a step (1 pageable) moves 1.00 MiB in 20.0 us"},
        CheckCase{"Pinned", [] { return copying(kPinned, 10).view(); }, Verdict::Binds,
                  "10 host copies a step (0 pageable)"},
        CheckCase{"StaysSilent", [] { return multiplying_steps().view(); }, Verdict::Clear,
                  "no copy between host and device in the step", 1},
        CheckCase{"WithinTheDevice", [] { return copying("Memcpy DtoD (Device -> Device)", 10).view(); },
                  Verdict::Clear, "no copy between host and device in the step"},
        CheckCase{"Border", [] { return copying(kPageable, 10, 10'000).view(); }, Verdict::Binds, "10.0 %",
                  1000.0 / 900},
        CheckCase{"JustBelow", [] { return copying(kPageable, 10, 9'999).view(); }, Verdict::Clear, "10.0 %"},
        CheckCase{"HeldByTheCall", [] { return copy_idle(multiplying_steps(), 100'000); }, Verdict::Binds,
                  "the device is idle 100 us of the 1.00 ms step while the host is held by a copy call",
                  1000.0 / 900},
        CheckCase{"HeldJustBelow", [] { return copy_idle(multiplying_steps(), 99'999); }, Verdict::Clear,
                  "held by a copy call"}),
    case_name);

TEST(PageableCopies, AdvisesByWhatTheMemoryIs) {
  EXPECT_TRUE(copying(kPageable, 10).view().run("pageable_copies").remedy.empty()) << "that of the table";
  EXPECT_THAT(copying(kPinned, 10).view().run("pageable_copies").remedy,
              testing::HasSubstr("the memory is pinned already"));
  EXPECT_THAT(copy_idle(copying(kPageable, 1), 200 * kUs).run("pageable_copies").remedy,
              testing::HasSubstr("non_blocking=True"));
}

TEST(PageableCopies, ShowsDirectionAndKindOfMemory) {
  const Finding finding = copying(kPageable, 3).view().run("pageable_copies");

  ASSERT_FALSE(finding.examples.empty());
  EXPECT_EQ(finding.examples[0].what, kPageable);
  EXPECT_EQ(finding.examples[0].count, 3U);
  EXPECT_EQ(finding.examples[0].time_ns, 60 * kUs);
  EXPECT_DOUBLE_EQ(evidence(finding, "pageable_bytes_per_step"), 3 * 1048576.0);
}

}  // namespace
}  // namespace foretell::checks
