// SPDX-License-Identifier: Apache-2.0
#include "analyzer/checks/measure.hpp"

#include <string>

#include "analyzer/checks/test_case.hpp"

namespace foretell::checks {
namespace {

using testing::HasSubstr;
using timeline::IdleClass;

// Step 1 ms, of which the device works 600 us.
TestView typical() { return multiplying_steps().view(); }

TEST(Step, IsWithoutTheProfilersOwnTime) {
  TestView test = typical();
  test.idle(IdleClass::Profiler, 200 * kUs);

  EXPECT_EQ(step_ns(test.view()), 800 * kUs);
  EXPECT_EQ(idle_ns(test.view(), IdleClass::Profiler), 200 * kUs);
  EXPECT_DOUBLE_EQ(share_of_step(test.view(), 200 * kUs), 0.25);
}

struct CeilingCase {
  std::string name;
  std::int64_t saved_ns;
  double ceiling;
  Verdict verdict;
};
class CeilingTest : public testing::TestWithParam<CeilingCase> {};

TEST_P(CeilingTest, IsStepOverWhatIsLeft) {
  const TestView test = typical();

  EXPECT_NEAR(ceiling_of(test.view(), GetParam().saved_ns), GetParam().ceiling, 1e-9 * GetParam().ceiling);
  EXPECT_EQ(verdict_of(test.view(), GetParam().saved_ns), GetParam().verdict);
}

INSTANTIATE_TEST_SUITE_P(Measure, CeilingTest,
                         testing::Values(CeilingCase{"Nothing", 0, 1, Verdict::Clear},
                                         CeilingCase{"JustBelow", 99'999, 1e6 / 900'001, Verdict::Clear},
                                         CeilingCase{"Border", 100'000, 1e6 / 900'000, Verdict::Binds},
                                         CeilingCase{"Half", 500'000, 2, Verdict::Binds},
                                         CeilingCase{"All", 1'000'000, 1e6, Verdict::Binds},
                                         CeilingCase{"MoreThanAll", 2'000'000, 1e6, Verdict::Binds}),
                         [](const auto& row) { return row.param.name; });

TEST(EmptyStep, HasNoShareAndNoCeiling) {
  const TestView test = TestTrace().view();

  EXPECT_EQ(step_ns(test.view()), 0);
  EXPECT_DOUBLE_EQ(share_of_step(test.view(), 0), 0);
  EXPECT_DOUBLE_EQ(ceiling_of(test.view(), 0), 1);
}

struct InflationCase {
  std::string name;
  std::function<TestView()> view;
  double want;
  std::int64_t bare_idle_ns;  // of 400 us of idle time
};
class InflationTest : public testing::TestWithParam<InflationCase> {};

TEST_P(InflationTest, TakesOffWhatTheProfilerMayHaveAdded) {
  const TestView test = GetParam().view();

  EXPECT_DOUBLE_EQ(host_inflation(test.view()), GetParam().want);
  EXPECT_EQ(bare_idle_ns(test.view(), 400 * kUs), GetParam().bare_idle_ns);
}

TestView without_ratio() {
  TestView test = multiplying_steps(200 * kUs).with_stacks().view();
  test.constants.pop_back();
  return test;
}

INSTANTIATE_TEST_SUITE_P(
    Measure, InflationTest,
    testing::Values(InflationCase{"Lean", [] { return multiplying_steps().view(); }, 1, 400 * kUs},
                    // (200 + 400) / 1.8 - 200
                    InflationCase{"Stacks", [] { return multiplying_steps(200 * kUs).with_stacks().view(); },
                                  1.8, 133'333},
                    InflationCase{"Shapes", [] { return multiplying_steps(200 * kUs).with_shapes().view(); },
                                  1.8, 133'333},
                    // 1 ms / 1.8 is less than what the device works
                    InflationCase{"NothingLeft",
                                  [] { return multiplying_steps(600 * kUs).with_stacks().view(); }, 1.8, 0},
                    InflationCase{"BareTimeGiven",
                                  [] { return multiplying_steps(200 * kUs).with_stacks().view(900 * kUs); },
                                  1, 400 * kUs},
                    InflationCase{"RatioUnknown", without_ratio, 1, 400 * kUs}),
    [](const auto& row) { return row.param.name; });

TEST(Constants, AreFoundByName) {
  const TestView test = typical();

  ASSERT_NE(find_constant(test.view(), "graph_launch_ns"), nullptr);
  EXPECT_DOUBLE_EQ(find_constant(test.view(), "graph_launch_ns")->low, 1000);
  EXPECT_EQ(find_constant(test.view(), "graph_launch"), nullptr);
}

struct BlockingCase {
  std::string name;
  std::uint64_t launches, blocking;
  bool want;
};
class BlockingTest : public testing::TestWithParam<BlockingCase> {};

TEST_P(BlockingTest, IsTheModeOfNearlyAllOfMany) {
  TestView test = typical();
  test.timeline.launches.linked_kernel_launches = GetParam().launches;
  test.timeline.launches.blocking_launches = GetParam().blocking;

  EXPECT_EQ(launches_block(test.view()), GetParam().want);
}

INSTANTIATE_TEST_SUITE_P(
    Measure, BlockingTest,
    testing::Values(BlockingCase{"NoLaunch", 0, 0, false}, BlockingCase{"None", 100, 0, false},
                    BlockingCase{"TooFew", 9, 9, false}, BlockingCase{"All", 10, 10, true},
                    BlockingCase{"NineTenths", 100, 90, true}, BlockingCase{"JustLess", 100, 89, false}),
    [](const auto& row) { return row.param.name; });

// Two kinds of late ops; the first is late twice a step, the second once but for longer.
TestTrace late_ops() {
  return steps_of([](TestTrace& trace, std::int64_t begin) {
    const auto late = [&](std::int64_t at, std::string_view op) {
      trace.op(at, 20 * kUs, op, at / kUs + 1);
      trace.call(at + 5 * kUs, 2 * kUs, at / kUs + 1, profile::ApiKind::KernelLaunch, at / kUs + 1);
      trace.kernel(at + 10 * kUs, 100 * kUs, at / kUs + 1);
    };
    late(begin, "aten::mul");
    late(begin + 200 * kUs, "aten::mul");
    late(begin + 500 * kUs, "aten::add");
  });
}

TEST(IdleExamples, AreGroupedByTheOpTheGapEndsWith) {
  const TestView test = late_ops().view();

  const auto examples = idle_examples(test.view(), {IdleClass::Launch});

  ASSERT_EQ(examples.size(), 2U);
  // from 610 us on to 10 us of the next step, then from 110 to 210 us
  EXPECT_EQ(examples[0].what, "aten::mul");
  EXPECT_EQ(examples[0].count, 2U);
  EXPECT_EQ(examples[0].time_ns, (4 * 500 - 390) * kUs / 4) << "no op follows the last kernel";
  EXPECT_EQ(examples[1].what, "aten::add");
  EXPECT_EQ(examples[1].count, 1U);
  EXPECT_EQ(examples[1].time_ns, 200 * kUs);
  EXPECT_THAT(examples[1].id, HasSubstr("correlation "));
  EXPECT_TRUE(examples[1].where.empty()) << "the op is named already: " << examples[1].where;
}

TEST(IdleExamples, NameTheFrameOfTheUser) {
  TestTrace trace = late_ops();
  for (std::int64_t i = 0; i < kSteps; ++i) {
    trace.op(i * kStepNs, 900 * kUs, "work/train.py(42): step", -1, profile::HostOpKind::PythonFunction);
  }
  const TestView test = trace.view();

  const auto examples = idle_examples(test.view(), {IdleClass::Launch});

  ASSERT_FALSE(examples.empty());
  EXPECT_EQ(examples[0].where, "work/train.py(42): step");
}

TEST(IdleExamples, AreAtMostEightDearestFirst) {
  const TestView test = steps_of([](TestTrace& trace, std::int64_t begin) {
                          std::int64_t at = begin;
                          for (std::int64_t i = 0; i < 10; ++i) {
                            at += (20 + 5 * i) * kUs;
                            trace.launch(at, at + 5 * kUs, 10 * kUs, "kernel_" + std::to_string(i));
                          }
                        }).view();

  const auto examples = idle_examples(test.view(), {IdleClass::Launch});

  ASSERT_EQ(examples.size(), kMostExamples);
  EXPECT_EQ(examples[0].what, "kernel_9");
  EXPECT_EQ(examples[0].time_ns, 55 * kUs);
  EXPECT_EQ(examples[7].what, "kernel_2");
}

// A gap that two steps share is one.
TEST(IdleExamples, CountAGapOnce) {
  const TestView test = multiplying_steps().view();

  const auto examples = idle_examples(test.view(), {IdleClass::Launch});

  ASSERT_EQ(examples.size(), 1U);
  EXPECT_EQ(examples[0].what, kGemm) << "the mark of a step is no op";
  EXPECT_EQ(examples[0].count, 1U);
}

TEST(IdleExamples, LeaveWarmUpAndOtherClassesOut) {
  TestView test = late_ops().view();

  EXPECT_TRUE(idle_examples(test.view(), {IdleClass::Sync}).empty());
  for (timeline::Step& step : test.timeline.steps.all) {
    step.warmup = true;
  }
  EXPECT_TRUE(idle_examples(test.view(), {IdleClass::Launch}).empty());
}

TEST(IdleExamples, NameTheCallThatHeldTheHost) {
  const TestView test = steps_of([](TestTrace& trace, std::int64_t begin) {
                          multiply(trace, begin);
                          trace.call(begin + 620 * kUs, 360 * kUs, 1000 + begin / kUs,
                                     profile::ApiKind::Allocate, -1, "cudaMalloc");
                        }).view();

  const auto examples = idle_examples(test.view(), {IdleClass::Allocation});

  ASSERT_EQ(examples.size(), 1U);
  EXPECT_EQ(examples[0].what, "cudaMalloc");
  EXPECT_EQ(examples[0].id, "correlation 1000");
  EXPECT_EQ(examples[0].time_ns, 360 * kUs);
}

struct MeanCase {
  std::string name;
  double mean;
  std::string want;
};
class MeanTest : public testing::TestWithParam<MeanCase> {};

TEST_P(MeanTest, GoesWithItsNoun) {
  EXPECT_EQ(mean_counted(GetParam().mean, "copy", "copies"), GetParam().want);
}

INSTANTIATE_TEST_SUITE_P(Measure, MeanTest,
                         testing::Values(MeanCase{"None", 0, "0 copies"}, MeanCase{"One", 1, "1 copy"},
                                         MeanCase{"Some", 3, "3 copies"},
                                         MeanCase{"Less", 0.25, "0.25 copies"},
                                         MeanCase{"Fraction", 1.5, "1.5 copies"},
                                         MeanCase{"Many", 1234.5, "1,235 copies"}),
                         [](const auto& row) { return row.param.name; });

TEST(Quantities, SayWhereTheyComeFrom) {
  EXPECT_EQ(measured("a", 1).provenance, Provenance::Measured);
  EXPECT_EQ(derived("a", 1).provenance, Provenance::Derived);
  EXPECT_EQ(assumed("a", 1).provenance, Provenance::Assumed);
  EXPECT_EQ(found(Verdict::Clear, "why").reason, "why");
}

}  // namespace
}  // namespace foretell::checks
