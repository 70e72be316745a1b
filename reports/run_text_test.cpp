// SPDX-License-Identifier: Apache-2.0
#include "reports/run_text.hpp"

#include <gmock/gmock.h>

#include <sstream>

#include "reports/probe_text.hpp"
#include "reports/run_test_model.hpp"

namespace foretell::reports {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string text(const RunReport& run, const RenderOptions& options = {}) {
  return render_run_text({{run}}, options);
}

TEST(RunText, SaysWhatWasMeasured) {
  EXPECT_THAT(text(test_run()), AllOf(HasSubstr("ops 3, size 64.0 MiB, dtype f32"),
                                      HasSubstr("2.88x (2.80 to 2.95)"), HasSubstr("memory traffic binds"),
                                      HasSubstr("measured at size 1.00 MiB"), HasSubstr("after 18 steps"),
                                      HasSubstr("samples left out  2"), HasSubstr("note: a note")));
}

TEST(RunText, KeepsToTheColumns) {
  RunReport run = test_run();
  run.ops.front().name = std::string(200, 'n');
  run.variants[1].measured->speedup_ci = Interval{123.45, 234.56};
  run.variants[1].measured->speedup = 200.11;
  run.variants[1].measured->ci_ns = {999.4e6, 999.4e6};
  std::istringstream lines(text(run) + text(run, {.color = false, .explain = {"fusion"}}));
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(line.size(), 100U) << line;
  }
}

TEST(RunText, ExplainFusionPrintsEveryRefusalInPlaceOfTheTables) {
  EXPECT_THAT(text(test_run(), {.color = false, .explain = {"fusion"}}),
              AllOf(HasSubstr("library-op"), HasSubstr("matmul is the library's"),
                    HasSubstr("add, mul, relu"), Not(HasSubstr("Variants"))));
}

TEST(RunText, NothingRefusedIsSaid) {
  RunReport run = test_run();
  run.refusals.clear();
  EXPECT_THAT(text(run, {.color = false, .explain = {"fusion"}}), HasSubstr("nothing was refused"));
}

TEST(RunText, KernelsFromTheCacheHaveNothingToPayBack) {
  RunReport run = test_run();
  run.variants[1].compile->from_cache = true;
  run.variants[1].compile->library_ns = 3'000'000;
  run.variants[1].compile->break_even_steps.reset();
  EXPECT_THAT(text(run),
              AllOf(HasSubstr("kernel cache      3.00 ms for 1 kernel"),
                    HasSubstr("pays back         from the cache: what compiling took is not known")));
}

TEST(RunText, ABusyMachineGivesItsReason) {
  RunReport run = test_run();
  run.measuring.verdict = MeasuringVerdict::Unusable;
  run.measuring.reasons = {"machine busy: 40 of 100 rounds were disturbed"};
  EXPECT_THAT(text(run), AllOf(HasSubstr("Measuring  unusable"), HasSubstr("- machine busy")));
}

TEST(RunText, PlannedMemoryIsALineAVariant) {
  RunReport run = test_run();
  EXPECT_THAT(
      text(run),
      HasSubstr(
          "\n  fused   20.0 MiB; live at most 19.0 MiB (order: least-peak-first), as given 40.0 MiB\n"));
  run.variants[1].memory.reset();
  EXPECT_THAT(text(run), Not(HasSubstr("Memory")));
}

TEST(RunText, AVariantThatFailedSaysWhy) {
  RunReport run = test_run();
  run.variants[1].measured.reset();
  run.variants[1].error = "no compiler";
  EXPECT_THAT(text(run), HasSubstr("fused   no compiler"));
}

TEST(ProbeText, IsATableWithUnits) {
  const RunReport run = test_run();
  ProbeModel probe{.machine = run.machine,
                   .constants = run.constants,
                   .probed_at_s = 1'700'000'000,
                   .duration_ns = 2'000'000'000,
                   .samples = 2'000,
                   .rejected = 7,
                   .file = "probe.json",
                   .from_file = true};
  probe.constants.push_back({{"l1_copy_bytes", "bytes", 24576, 24576, 24576, Provenance::Derived, ""}, 0});
  probe.constants.push_back({{"enqueue_ns", "ns", 41.26, 60, 70, Provenance::Probed, ""}, 1000});
  EXPECT_THAT(render_probe_text(probe, {}),
              AllOf(HasSubstr("probed 2023-11-14 22:13 UTC in 2.00 s, read from probe.json"),
                    HasSubstr("2,000 samples, 7 of them disturbed\n"), HasSubstr("24.0 KiB"),
                    HasSubstr("41.3 ns"), HasSubstr("1,000")));
  probe.rejected = 401;
  probe.busy = true;
  EXPECT_THAT(render_probe_text(probe, {}),
              HasSubstr("401 of them disturbed, used where others were wanting\n"));
}

}  // namespace
}  // namespace foretell::reports
