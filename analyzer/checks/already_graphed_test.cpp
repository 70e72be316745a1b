// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "analyzer/checks/test_case.hpp"

namespace foretell::checks {
namespace {

// Copies of 5 us right before a replay of so many kernels.
TestTrace replays(int kernels, int copies = 0) {
  return steps_of([=](TestTrace& trace, std::int64_t begin) {
    for (int i = 0; i < copies; ++i) {
      trace.copy(begin + i * 3 * kUs, begin + (i * 3 + 1) * kUs, begin + 10 * kUs + i * 5 * kUs, 5 * kUs,
                 "Memcpy DtoD (Device -> Device)", 4096);
    }
    trace.replay(begin + 20 * kUs, begin + 50 * kUs, 10 * kUs, kernels);
  });
}

// A replay in every second step, the others launch one by one.
TestView sometimes() {
  return steps_of([](TestTrace& trace, std::int64_t begin) {
           if (begin / kStepNs % 2 == 0) {
             trace.replay(begin, begin + 10 * kUs, 100 * kUs, 6);
           } else {
             multiply(trace, begin);
           }
         })
      .view();
}

TestView half() {
  return steps_of([](TestTrace& trace, std::int64_t begin) {
           multiply(trace, begin);
           trace.replay(begin + 30 * kUs, begin + 620 * kUs, 10 * kUs, 4);
         })
      .view();
}

// The replays' device records are lost, beside those of other launches.
TestView without_records() {
  return steps_of([](TestTrace& trace, std::int64_t begin) {
           multiply(trace, begin);
           trace.replay(begin + 30 * kUs, begin + 620 * kUs, 10 * kUs, 0);
         })
      .view();
}

class AlreadyGraphedTest : public testing::TestWithParam<CheckCase> {};

TEST_P(AlreadyGraphedTest, Says) { expect_case("already_graphed", GetParam()); }

INSTANTIATE_TEST_SUITE_P(
    Checks, AlreadyGraphedTest,
    testing::Values(
        CheckCase{"TooSmall", [] { return replays(2).view(); }, Verdict::Binds,
                  "replays of 2 kernels: too small to graph"},
        CheckCase{"OneKernel", [] { return replays(1, 2).view(); }, Verdict::Binds,
                  "replays of 1 kernel: too small to graph; 10.0 us of copies and fills before each"},
        CheckCase{"Border", [] { return replays(3).view(); }, Verdict::Binds, "replays of 3 kernels"},
        CheckCase{"JustAbove", [] { return replays(4).view(); }, Verdict::Clear,
                  "100.0 % of kernels run inside 4 graph replays: CUDA graphs have none left to gain"},
        CheckCase{
            "Sometimes", sometimes, Verdict::Binds,
            "some steady steps replay a graph and others do not: the shapes of those were not captured, or "
            "capture was given up"},
        CheckCase{"StaysSilent", [] { return multiplying_steps().view(); }, Verdict::Clear,
                  "no kernel runs inside a graph replay: all launches are there to be captured"},
        CheckCase{"Half", half, Verdict::Clear,
                  "50.0 % of kernels run inside 4 graph replays: the rest is launched one by one"},
        CheckCase{"Copies", [] { return replays(6, 2).view(); }, Verdict::Clear,
                  "2 copies before each take 10.0 us"},
        CheckCase{"OneCopy", [] { return replays(6, 1).view(); }, Verdict::Clear,
                  "1 copy before each takes 5.00 us"},
        CheckCase{"RecordsLost", without_records, Verdict::Unknown,
                  "4 graph replays, but no device record of any: what is inside can't be told"},
        CheckCase{"NoKernel", [] { return TestTrace().view(); }, Verdict::Unknown, "no kernel is recorded"}),
    case_name);

TEST(AlreadyGraphed, TellsWhatAReplayNeeds) {
  const Finding finding = replays(6, 2).view().run("already_graphed");

  EXPECT_DOUBLE_EQ(evidence(finding, "graph_launches_per_step"), 1);
  EXPECT_DOUBLE_EQ(evidence(finding, "kernels_per_replay"), 6);
  EXPECT_DOUBLE_EQ(evidence(finding, "kernels_in_replays_share"), 1);
  EXPECT_DOUBLE_EQ(evidence(finding, "copies_before_a_replay"), 2);
  EXPECT_DOUBLE_EQ(evidence(finding, "fills_before_a_replay"), 0);
  EXPECT_DOUBLE_EQ(evidence(finding, "prologue_ns_per_replay"), 10e3);
}

TEST(AlreadyGraphed, TakesOnlyWhatComesRightBefore) {
  const TestView test =
      steps_of([](TestTrace& trace, std::int64_t begin) {
        trace.copy(begin, begin + kUs, begin + 10 * kUs, 5 * kUs, "Memcpy DtoD (Device -> Device)", 1);
        trace.launch(begin + 5 * kUs, begin + 20 * kUs, 10 * kUs);
        trace.replay(begin + 20 * kUs, begin + 50 * kUs, 10 * kUs, 6);
      }).view();

  EXPECT_DOUBLE_EQ(evidence(test.run("already_graphed"), "copies_before_a_replay"), 0);
}

}  // namespace
}  // namespace foretell::checks
