// SPDX-License-Identifier: Apache-2.0
#include "reports/text_diagnosis.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <string>

#include "reports/test_model.hpp"
#include "reports/text_renderer.hpp"

namespace foretell::reports {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string picture(const TraceReport& report) {
  TextWriter out(false);
  write_step_picture(out, report);
  return out.take();
}

TEST(StepPicture, FillsItsWidthInProportion) {
  const std::string text = picture(test_report());

  EXPECT_EQ(std::ranges::count(text, '#'), 29 + 1);  // 200 of 500 ns of 72 columns, and the legend's
  EXPECT_EQ(std::ranges::count(text.substr(0, text.find(']')), '.'), 32);  // 220 of 500 ns
  EXPECT_EQ(text.find(']') - text.find('['), 73U);
  EXPECT_THAT(text, HasSubstr("500 ns a step"));
  EXPECT_THAT(text, HasSubstr("# busy 40.0 %"));
  EXPECT_THAT(text, HasSubstr(". starved by launches 44.0 %"));
  EXPECT_THAT(text, HasSubstr("s sync 16.0 %"));
}

// Under UBSan: no product of two times, or of a time and a factor, leaves 64 bits.
TEST(StepPicture, TimesOfCenturiesAreDrawn) {
  TraceReport report = test_report();
  report.split.step_ns = 5'000'000'000'000'000'000;
  report.split.busy_ns = 3'000'000'000'000'000'000;
  report.split.idle_ns = {};
  of(report.split.idle_ns, timeline::IdleClass::Queue) = 2'000'000'000'000'000'000;

  const std::string text = picture(report);

  EXPECT_THAT(text, HasSubstr("q gaps of a full queue 40.0 %"));
}

TEST(StepPicture, IsLeftOutWhereNothingIsKnown) {
  TraceReport report = test_report();
  report.split = {};

  EXPECT_EQ(picture(report), "");
}

TEST(Checks, WhatIsClearTakesOneLine) {
  TraceReport report = test_report();
  report.checks[0].finding.verdict = checks::Verdict::Clear;
  report.checks[0].finding.reason =
      std::string(40, 'a') + " " + std::string(40, 'b') + " " + std::string(40, 'c');
  TextWriter out(false);

  write_checks(out, report);

  const std::string text = out.take();
  EXPECT_THAT(text, HasSubstr("..."));
  EXPECT_THAT(text, Not(HasSubstr("ccc")));
}

TEST(Explanation, ShowsTheWholeReasoningInPlaceOfTheTables) {
  const std::string text =
      render_text({.traces = {test_trace()}, .peak_memory_bytes = {}}, {.explain = {"launch"}});

  for (const char* part : {"launch: Launch bound?", "binds, ceiling 1.79x", "capture the step",
                           "Idle time before late launches counts.", "launch_idle_ns", "220 ns", "derived",
                           "aten::add, train.py(42): step (correlation 17)", "What it holds."}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
  EXPECT_THAT(text, Not(HasSubstr("Host threads")));
}

}  // namespace
}  // namespace foretell::reports
