// SPDX-License-Identifier: Apache-2.0
#include "analyzer/checks/diagnosis.hpp"

#include <string>

#include "analyzer/checks/test_case.hpp"

namespace foretell::checks {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using timeline::IdleClass;

// 970 us of kernels of that name in a step of 1 ms.
TestTrace busy(std::string_view name) {
  return steps_of(
      [=](TestTrace& trace, std::int64_t begin) { trace.launch(begin, begin + 10 * kUs, 970 * kUs, name); });
}

TestView copying() {
  return steps_of([](TestTrace& trace, std::int64_t begin) {
           multiply(trace, begin);
           trace.copy(begin + 100 * kUs, begin + 110 * kUs, begin + 610 * kUs, 250 * kUs,
                      "Memcpy HtoD (Pageable -> Device)", 1 << 20);
         })
      .view();
}

TestView communicating() {
  return steps_of([](TestTrace& trace, std::int64_t begin) {
           multiply(trace, begin);
           trace.launch(begin + 30 * kUs, begin + 610 * kUs, 300 * kUs, "ncclDevKernel_AllReduce", 20);
         })
      .view();
}

TestView fusible() {
  return steps_of([](TestTrace& trace, std::int64_t begin) {
           for (int i = 0; i < 9; ++i) {
             trace.launch(begin + i * 5 * kUs, begin + (10 + 108 * i) * kUs, 108 * kUs, kAdd).blocks(10'000);
           }
         })
      .view();
}

// The device's records, and nothing of the host but the marks.
TestView no_launches(std::int64_t busy_ns) {
  return steps_of([=](TestTrace& trace, std::int64_t begin) { trace.kernel(begin, busy_ns, -1, kGemm); })
      .edit([](profile::Profile& p) { p.host_ops = {}; })
      .view();
}

TestView idle(IdleClass idle_class) { return multiplying_steps().view().idle(idle_class, 300 * kUs); }

struct BindsCase {
  std::string name;
  std::function<TestView()> view;
  std::string binds;
  std::string begins;  // of the first sentence
};
class BindsTest : public testing::TestWithParam<BindsCase> {};

TEST_P(BindsTest, SaysInThreeSentences) {
  const Diagnosis diagnosis = GetParam().view().diagnose();

  EXPECT_EQ(diagnosis.binds, GetParam().binds) << diagnosis.sentences[0];
  EXPECT_THAT(diagnosis.sentences[0], StartsWith(GetParam().begins));
  EXPECT_EQ(diagnosis.checks.size(), all_checks().size());
  for (const std::string& sentence : diagnosis.sentences) {
    ASSERT_FALSE(sentence.empty());
    EXPECT_TRUE(sentence.ends_with('.')) << sentence;
    EXPECT_THAT(sentence, AllOf(Not(HasSubstr("..")), Not(HasSubstr("  ")), Not(HasSubstr("\n"))));
  }
  for (const CheckResult& result : diagnosis.checks) {
    expect_well_put(result.check->id, result.finding);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Diagnosis, BindsTest,
    testing::Values(
        BindsCase{"Launch", [] { return multiplying_steps().view(); }, "launch",
                  "Launch-bound: the device waits 400 us of the 1.00 ms step"},
        BindsCase{"Host", [] { return idle(IdleClass::Host); }, "host", "Host-bound: "},
        BindsCase{"Input", [] { return idle(IdleClass::Input); }, "input", "Input-bound: "},
        BindsCase{"Sync", [] { return idle(IdleClass::Sync); }, "sync", "Sync-bound: "},
        BindsCase{"CopyCall", [] { return idle(IdleClass::Copy); }, "copy", "Copy-bound: "},
        BindsCase{"Allocation", [] { return idle(IdleClass::Allocation); }, "allocation",
                  "Allocation-bound: "},
        BindsCase{"HostCollective", [] { return idle(IdleClass::Communication); }, "communication",
                  "Communication-bound: the device waits 300 us"},
        BindsCase{"Communication", communicating, "communication",
                  "Communication-bound: collectives run alone"},
        BindsCase{"Copy", copying, "copy", "Copy-bound: 1 host copy a step"},
        BindsCase{"Traffic", fusible, "traffic", "Traffic-bound: the device works 97.2 % of the step"},
        BindsCase{"Compute", [] { return busy(kGemm).view(); }, "compute",
                  "Compute-bound: the device works 97.0 % of the 1.00 ms step, 100.0 % of that in matrix "
                  "multiplication, convolution and attention."},
        BindsCase{"None", [] { return busy(kAdd).view(); }, "none",
                  "No overhead binds: the device works 97.0 % of the 1.00 ms step, 100.0 % of that in "
                  "kernels of class "
                  "elementwise."},
        BindsCase{"Pauses", [] { return multiplying_steps(300 * kUs).view(); }, "unknown",
                  "What binds can't be told: for "},
        BindsCase{"Stacks", [] { return multiplying_steps().with_stacks().view(); }, "unknown",
                  "What binds can't be told: the device waits 400 us"},
        BindsCase{"NoLaunches", [] { return no_launches(600 * kUs); }, "unknown",
                  "What binds can't be told: the device is idle 400 us of the 1.00 ms step (40.0 %), and no "
                  "launch or "
                  "other work of the host is recorded that would tell why."},
        BindsCase{"NoLaunchesButBusy", [] { return no_launches(950 * kUs); }, "compute", "Compute-bound: "}),
    [](const auto& row) { return row.param.name; });

TEST(Diagnosis, TakesTheHighestCeilingAndNamesTheOthers) {
  TestView test = multiplying_steps().view();
  test.idle(IdleClass::Launch, 120 * kUs);
  timeline::of(test.timeline.split.idle_ns, IdleClass::Sync) = 200 * kUs;
  timeline::of(test.timeline.split.idle_ns, IdleClass::Queue) = 80 * kUs;

  const Diagnosis diagnosis = test.diagnose();

  EXPECT_EQ(diagnosis.binds, "sync");
  EXPECT_THAT(diagnosis.sentences[1],
              AllOf(StartsWith("At most 1.25x faster if all of it went (a ceiling, not a prediction): "),
                    HasSubstr(" Also: launch (at most 1.14x).")));
}

TEST(Diagnosis, ChecksWithoutAnOverheadNeverBind) {
  const Diagnosis diagnosis = steps_of([](TestTrace& trace, std::int64_t begin) {
                                trace.launch(begin, begin + 10 * kUs, 970 * kUs, "ampere_sgemm_128x64_tn");
                              })
                                  .view()
                                  .diagnose();

  EXPECT_EQ(to_string(diagnosis.find("precision")->finding.verdict), "binds");
  EXPECT_EQ(diagnosis.binds, "compute");
}

// A compilation is seen on the host alone, but what binds is a matter of the step.
TEST(Diagnosis, GivesNoCeilingOfAStepThatIsNotKnown) {
  TestTrace trace = multiplying_steps(600 * kUs, 8);
  trace.compile_event(profile::CompileKind::Compilation, 7 * kStepNs + 100 * kUs, 900 * kUs, "compile");
  trace.op(7 * kStepNs, kUs, "aten::mm");
  TestView test = trace.view();
  ASSERT_EQ(to_string(test.run("recompiles").verdict), "binds") << test.run("recompiles").reason;
  test.timeline.launches.blocking_launches = test.timeline.launches.linked_kernel_launches;

  const Diagnosis diagnosis = test.diagnose();

  EXPECT_EQ(diagnosis.binds, "unknown");
  EXPECT_THAT(diagnosis.sentences[0], StartsWith("What binds can't be told: launches are synchronous"));
  EXPECT_THAT(diagnosis.sentences[1], StartsWith("No ceiling is given"));
}

TEST(Diagnosis, SaysThatOneIsTheRightAnswer) {
  const Diagnosis diagnosis = busy(kGemm).view().diagnose();

  EXPECT_EQ(diagnosis.sentences[1],
            "1.0x is the right answer: graph mode has little to remove (ceilings, each alone: launch 1.03x, "
            "traffic "
            "1.00x, allocation 1.00x).");
}

TEST(Diagnosis, AsksForABareTimeWhereTheProfilerMayBeTheCause) {
  const Diagnosis diagnosis = multiplying_steps().with_stacks().view().diagnose();

  EXPECT_EQ(
      diagnosis.sentences[1],
      "At most 1.67x if the trace were to be believed; time the step without the profiler and give it as "
      "--wall-ms.");
}

TEST(Diagnosis, SaysHowToRecordWhereNoCeilingCanBeGiven) {
  EXPECT_EQ(no_launches(600 * kUs).diagnose().sentences[1],
            "No ceiling is given; `foretell doctor --recipe` says how to record a trace that answers.");
}

struct BasisCase {
  std::string name;
  std::function<TestView()> view;
  std::string says;
};
class BasisTest : public testing::TestWithParam<BasisCase> {};

TEST_P(BasisTest, IsTheThirdSentence) {
  EXPECT_THAT(GetParam().view().diagnose().sentences[2], HasSubstr(GetParam().says));
}

TestView in_nanoseconds() {
  TestTrace trace = multiplying_steps();
  trace.edit([](profile::Profile& p) { p.info.resolution_ns = 1; });
  return trace.view();
}

INSTANTIATE_TEST_SUITE_P(
    Diagnosis, BasisTest,
    testing::Values(
        BasisCase{"Marks", [] { return multiplying_steps().view(); },
                  "4 steady steps by the profiler's step marks; the trace is complete; times have a "
                  "resolution of 1 "
                  "us."},
        BasisCase{"OneStep", [] { return multiplying_steps(600 * kUs, 1).view(); },
                  "1 steady step by the profiler's"},
        BasisCase{"Nanoseconds", in_nanoseconds, "the trace is complete."},
        BasisCase{"Whole",
                  [] {
                    TestTrace trace;
                    trace.launch(0, 10 * kUs, 600 * kUs);
                    return trace.view();
                  },
                  "The whole trace taken as one step, since none is marked and no kernel sequence repeats; "},
        BasisCase{"Partial", [] { return multiplying_steps().with_stacks().view(); },
                  "the trace is partial, 1 reason limits what may be concluded"},
        BasisCase{"Nothing", [] { return TestTrace().view(); }, "No timed event; the trace is unusable"}),
    [](const auto& row) { return row.param.name; });

TEST(Diagnosis, FindsResultsById) {
  const Diagnosis diagnosis = multiplying_steps().view().diagnose();

  ASSERT_NE(diagnosis.find("launch"), nullptr);
  EXPECT_EQ(diagnosis.find("launch")->check->id, "launch");
  EXPECT_EQ(diagnosis.find("nothing"), nullptr);
}

TEST(Diagnosis, IsTheSameForTheSameTrace) {
  const Diagnosis a = fusible().diagnose();
  const Diagnosis b = fusible().diagnose();

  EXPECT_EQ(a.sentences, b.sentences);
  for (std::size_t i = 0; i < a.checks.size(); ++i) {
    EXPECT_EQ(a.checks[i].finding.reason, b.checks[i].finding.reason);
  }
}

}  // namespace
}  // namespace foretell::checks
