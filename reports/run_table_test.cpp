// SPDX-License-Identifier: Apache-2.0
#include "reports/run_table.hpp"

#include <gmock/gmock.h>

#include <sstream>

#include "reports/run_test_model.hpp"
#include "reports/run_text.hpp"

namespace foretell::reports {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

RunReport failed_run() {
  RunReport run;
  run.workload = "gemm";
  run.error = "expected more memory";
  return run;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

TEST(RunTable, HasALineOfEachVariantAndTheWorkloadOnce) {
  RunReport other = test_run();
  other.workload = "mlp-b1";
  const std::string text = render_run_text({{test_run(), other}}, {});

  EXPECT_EQ(count(text, "\n  chain  "), 1U);
  EXPECT_EQ(count(text, "\n  mlp-b1  "), 1U);
  EXPECT_EQ(count(text, "  fused  "), 2U);
  EXPECT_THAT(text, AllOf(HasSubstr("2.88x (2.80 to 2.95)      0.5 ulp"), HasSubstr("complete"),
                          HasSubstr("  traffic  "), Not(HasSubstr("Compiling"))));
}

TEST(RunTable, SaysWhyAWorkloadOrAVariantIsNotThere) {
  RunReport run = test_run();
  run.variants[1].measured.reset();
  run.variants[1].error = "no compiler";
  EXPECT_THAT(
      render_run_text({{run, failed_run()}}, {}),
      AllOf(HasSubstr("fused   no compiler"), HasSubstr("\n  gemm                expected more memory\n")));
}

TEST(RunTable, WhatSeveralSayStandsThereOnce) {
  RunReport other = test_run();
  other.workload = "gemm";
  other.measuring.reasons = {"fused did not settle"};
  EXPECT_THAT(render_run_text({{test_run(), other}}, {}),
              AllOf(HasSubstr("- chain, gemm: a note\n"), HasSubstr("- gemm: fused did not settle\n")));
}

TEST(RunTable, WhereThereAreNoTimesTheFirstReasonDoes) {
  RunReport other = test_run();
  other.measuring.verdict = MeasuringVerdict::Unusable;
  other.measuring.reasons = {"machine busy", "fused did not settle"};
  EXPECT_THAT(render_run_text({{test_run(), other}}, {}),
              AllOf(HasSubstr("machine busy\n"), Not(HasSubstr("settle"))));
}

TEST(RunTable, KeepsToTheColumns) {
  RunReport run = test_run();
  run.workload = std::string(200, 'w');
  run.variants[1].name = "planned";
  run.variants[1].measured->speedup_ci = Interval{123.45, 234.56};
  run.variants[1].measured->speedup = 200.11;
  run.variants[0].drift->max_ulp = 1.234e10;
  run.measuring.verdict = MeasuringVerdict::Unusable;
  RunReport failed = failed_run();
  failed.error = std::string(300, 'e');
  std::istringstream lines(render_run_text({{run, failed}}, {}));
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(line.size(), 100U) << line;
  }
}

TEST(RunTable, PlansAreExplainedInFullInPlaceOfIt) {
  const std::string text =
      render_run_text({{test_run(), test_run()}}, {.color = false, .explain = {"fusion"}});

  EXPECT_EQ(count(text, "matmul is the library's"), 2U);
  EXPECT_THAT(text, Not(HasSubstr("Workloads")));
}

}  // namespace
}  // namespace foretell::reports
