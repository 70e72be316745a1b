// SPDX-License-Identifier: Apache-2.0
#include "reports/text_renderer.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <string>

#include "reports/test_model.hpp"

namespace foretell::reports {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string rendered(const TraceOutcome& trace, bool color = false) {
  return render_text({.traces = {trace}, .peak_memory_bytes = {}}, {.color = color});
}

// Characters, not bytes, of the longest line.
std::ptrdiff_t widest_line(const std::string& text) {
  std::ptrdiff_t widest = 0;
  std::ptrdiff_t width = 0;
  for (const char c : text) {
    width = c == '\n' ? 0 : width + ((static_cast<unsigned char>(c) & 0xC0U) == 0x80U ? 0 : 1);
    widest = std::max(widest, width);
  }
  return widest;
}

TEST(TextRenderer, LinesKeepToOneHundredColumns) {
  TraceOutcome trace = test_trace();
  TraceReport& report = *trace.report;
  const std::string word(300, 'w');
  std::string words;
  for (int i = 0; i < 60; ++i) {
    words += "täglich ";
  }
  report.source.path = word;
  report.devices[0].recorded_name = word;
  report.devices[0].match.note = words + word;
  report.integrity.reasons = {words, word};
  report.integrity.notes = {words, word};
  report.sentences = {words, word, words};
  report.steps.all[0].name = words;
  report.ops[0].name = words;
  report.communicators[0].id = std::string(60, '9');
  report.checks[0].finding.reason = words + word;
  report.modules[0].path = word;
  report.threads[0].name = word;
  report.groups[0].op = word;

  EXPECT_LE(widest_line(rendered(trace)), 100);
}

TEST(TextRenderer, ColorsOnlyWhereAskedFor) {
  EXPECT_THAT(rendered(test_trace(), true), HasSubstr("\x1b["));
  EXPECT_THAT(rendered(test_trace(), false), Not(HasSubstr("\x1b")));
}

TEST(TextRenderer, NamesCantDriveTheTerminal) {
  TraceOutcome trace = test_trace();
  trace.report->source.path = "a\x1b[2Jb\nc";
  trace.report->ops[0].name = "op\x1b[31m\a";
  trace.report->devices[0].recorded_name = "GPU\r\x1b]0;x";
  trace.report->steps.all[0].name = "step\x1b[0m";
  trace.report->communicators[0].id = "\x1b[1m";

  const std::string said = rendered(trace);

  EXPECT_THAT(said, Not(HasSubstr("\x1b")));
  EXPECT_THAT(said, Not(HasSubstr("\r")));
  EXPECT_THAT(said, HasSubstr("a?[2Jb?c"));
}

TEST(TextRenderer, LongLabelsKeepADistanceFromTheirValue) {
  EXPECT_THAT(rendered(test_trace()), HasSubstr("18446744073709551617 2 records"));
}

TEST(TextRenderer, WithoutDeviceRecordsNothingIsSaidOfIdleTime) {
  TraceOutcome trace = test_trace();
  trace.report->facts = {.cpu_ops = 2, .span_ns = 2'000};
  trace.report->split = {};
  trace.report->checks.clear();
  trace.report->devices.clear();

  const std::string said = rendered(trace);

  EXPECT_THAT(said, HasSubstr("device            absent"));
  EXPECT_THAT(said, Not(HasSubstr("busy")));
  EXPECT_THAT(said, Not(HasSubstr("idle")));
}

TEST(TextRenderer, UnreadFilesStandAmongTheOthers) {
  const std::string said =
      render_text({.traces = {test_unread(), test_trace()}, .peak_memory_bytes = 2048}, {});

  EXPECT_THAT(said, HasSubstr("nowhere.json\n  not read: no such file\n"));
  EXPECT_THAT(said, HasSubstr("peak memory 2.00 KiB\n"));
}

}  // namespace
}  // namespace foretell::reports
