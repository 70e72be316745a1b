// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "analyzer/checks/test_case.hpp"

namespace foretell::checks {
namespace {

using profile::CompileKind;

constexpr int kMany = 8;  // so that two of the steps are no warm-up

// A compilation of that length in each of the last `compiling` steps.
TestTrace compiling(int compiling, std::int64_t ns) {
  TestTrace trace = multiplying_steps(600 * kUs, kMany);
  trace.op(0, kUs, "aten::mm");
  for (std::int64_t i = kMany - compiling; i < kMany; ++i) {
    trace.compile_event(CompileKind::Compilation, i * kStepNs + 620 * kUs, ns, "compile");
  }
  return trace;
}

// A step that takes as long as its compilation, a hundred times the others.
TestView one_long_step() {
  TestTrace trace;
  std::int64_t at = 0;
  for (int i = 0; i < kMany; ++i) {
    const std::int64_t length = i == kMany - 1 ? 100 * kMs : kMs;
    trace.step(at, length, "ProfilerStep#" + std::to_string(i));
    trace.op(at, kUs, "aten::mm");
    multiply(trace, at);
    at += length;
  }
  return trace.compile_event(CompileKind::Compilation, at - 99 * kMs, 99 * kMs, "compile").view();
}

TestView shapes(bool vary, int steps = kMany) {
  TestTrace trace = steps_of(
      [](TestTrace& rows, std::int64_t begin) {
        rows.op(begin + kUs, kUs, "aten::mm");
        multiply(rows, begin);
      },
      steps);
  for (std::int64_t i = 0; i < steps; ++i) {
    trace.shapes(i * kStepNs + kUs, vary && i % 2 == 1 ? "[[64, 32]]" : "[[32, 32]]");
  }
  return trace.view();
}

class RecompilesTest : public testing::TestWithParam<CheckCase> {};

TEST_P(RecompilesTest, Says) { expect_case("recompiles", GetParam()); }

INSTANTIATE_TEST_SUITE_P(
    Checks, RecompilesTest,
    testing::Values(
        CheckCase{"Fires", [] { return compiling(4, 360 * kUs).view(); }, Verdict::Binds,
                  "4 compilations inside 8 steady steps, 1.44 ms of host time; input shapes are not recorded",
                  1000.0 / 820},
        CheckCase{"Once", [] { return compiling(1, 300 * kUs).view(); }, Verdict::Clear,
                  "1 compilation inside 8 steady steps, 300 us of host time"},
        // 8 x 100 us of 8 ms
        CheckCase{"Border", [] { return compiling(4, 200 * kUs).view(); }, Verdict::Binds, "4 compilations",
                  1000.0 / 900},
        CheckCase{"JustBelow", [] { return compiling(4, 200 * kUs - 1).view(); }, Verdict::Clear, "800 us"},
        // of 107 ms: the ceiling is that of all the steps, not of the typical one
        CheckCase{"OneLongStep", one_long_step, Verdict::Binds,
                  "1 compilation inside 8 steady steps, 99.0 ms", 107.0 / 8},
        CheckCase{"StaysSilent", [] { return shapes(false); }, Verdict::Clear,
                  "no compilation in a steady step; input shapes do not vary"},
        CheckCase{"ShapesVary", [] { return shapes(true); }, Verdict::Clear,
                  "2 sets of input shapes over 8 steady steps: a compiler would need dynamic shapes or "
                  "compile anew"},
        CheckCase{
            "WarmUpIsNotCounted",
            [] {
              TestTrace trace = multiplying_steps(600 * kUs, kMany);
              trace.op(0, kUs, "aten::mm");
              return trace.compile_event(CompileKind::Compilation, 620 * kUs, 300 * kUs, "compile").view();
            },
            Verdict::Clear, "no compilation in a steady step"},
        CheckCase{"NoHostOps",
                  [] {
                    TestTrace trace;
                    trace.launch(0, 10 * kUs, 600 * kUs);
                    return trace.view();
                  },
                  Verdict::Unknown, "no host ops are recorded, so compilations can't be seen"}),
    case_name);

TEST(Recompiles, NamesTheOpsWhoseShapesVary) {
  const Finding finding = shapes(true).run("recompiles");

  ASSERT_EQ(finding.examples.size(), 1U);
  EXPECT_EQ(finding.examples[0].what, "aten::mm");
  EXPECT_DOUBLE_EQ(evidence(finding, "shape_sets"), 2);
}

}  // namespace
}  // namespace foretell::checks
