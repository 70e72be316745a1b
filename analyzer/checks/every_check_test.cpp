// SPDX-License-Identifier: Apache-2.0
// What holds for every check, whatever the trace: where the step can't be told, those that rest on it say so.
#include <limits>
#include <set>
#include <string>

#include "analyzer/checks/test_case.hpp"

namespace foretell::checks {
namespace {

// Checks that ask where the time of a step went.
const std::set<std::string_view> kAboutTheStep{
    "launch",       "fusion",    "host_syncs",         "pageable_copies",
    "data_loading", "host_work", "driver_allocations", "communication",
    "tiny_kernels", "pauses",    "precision"};

struct Unsuitable {
  std::string name;
  std::function<TestView()> view;
  std::string why;
};

TestView no_device_records() {
  return steps_of([](TestTrace& trace, std::int64_t begin) { trace.op(begin, 900 * kUs, "aten::mm"); })
      .view();
}

TestView launches_only() {
  return steps_of([](TestTrace& trace, std::int64_t begin) { trace.call(begin, 2 * kUs, begin / kUs + 1); })
      .view();
}

// Nothing runs while a graph is recorded.
TestView capture() {
  return steps_of([](TestTrace& trace, std::int64_t begin) {
           trace.launch(begin, begin + 10 * kUs, 100 * kUs);
           for (std::int64_t i = 0; i < 5; ++i) {
             trace.call(begin + (10 + i) * kUs, kUs / 2, 1000 + begin / kUs + i);
           }
         })
      .view();
}

// One op of a thousand was kept.
TestView sampled() {
  TestTrace trace = multiplying_steps();
  for (std::int64_t i = 0; i < 200; ++i) {
    trace.op(i * 20 * kUs, kUs, "aten::mm", (i + 1) * 1000);
  }
  return trace.view();
}

TestView setup_in_window() {
  TestTrace trace = multiplying_steps();
  trace.call(3 * kStepNs + 700 * kUs, 60 * kMs, 500, profile::ApiKind::Other, -1, "cuModuleLoadData");
  return trace.view();
}

TestView blocking_launches() {
  return steps_of([](TestTrace& trace, std::int64_t begin) {
           for (std::int64_t i = 0; i < 4; ++i) {
             const std::int64_t at = begin + i * 200 * kUs;
             trace.call(at, 160 * kUs, at / kUs + 1);
             trace.kernel(at + 10 * kUs, 140 * kUs, at / kUs + 1);
           }
         })
      .view();
}

// Kernels that no launch is recorded for, behind the steps.
TestView no_time_per_step() {
  TestTrace trace = steps_of([](TestTrace& rows, std::int64_t begin) { rows.op(begin, kUs, "aten::mm"); });
  for (std::int64_t i = 0; i < 8; ++i) {
    trace.kernel((kSteps + i) * kStepNs, 100 * kUs, -1);
  }
  return trace.view();
}

TestView damaged() {
  TestTrace trace = multiplying_steps();
  trace.edit([](profile::Profile& p) { p.stats.count(profile::Stat::ChecksumMismatch); });
  return trace.view();
}

const std::vector<Unsuitable>& unsuitable_traces() {
  static const std::vector<Unsuitable> kTraces{
      {"Empty", [] { return TestTrace().view(); }, "the trace is unusable"},
      {"Damaged", damaged, "the trace is unusable"},
      {"LaunchesOnly", launches_only, "the trace is unusable"},
      {"NoDeviceRecords", no_device_records, "no device activity is recorded"},
      {"NoTimePerStep", no_time_per_step, "device time can't be given to steps"},
      {"Capture", capture, "most launches have no device record: a stream capture, no run"},
      {"Sampled", sampled, "the trace is sampled, so gaps between its records say nothing"},
      {"SetupInWindow", setup_in_window,
       "initialisation lies inside the window: record after some warm-up steps"},
      {"BlockingLaunches", blocking_launches,
       "launches are synchronous (CUDA_LAUNCH_BLOCKING or a debug mode), so the trace is not representative"},
  };
  return kTraces;
}

class UnsuitableTrace : public testing::TestWithParam<Unsuitable> {};

TEST_P(UnsuitableTrace, LeavesTheStepUnknown) {
  const TestView test = GetParam().view();

  EXPECT_EQ(unknown_step(test.view()), GetParam().why);
  for (const Check* check : all_checks()) {
    const Finding finding = check->run(test.view());
    expect_well_put(check->id, finding);
    if (kAboutTheStep.contains(check->id)) {
      EXPECT_EQ(to_string(finding.verdict), "unknown") << check->id;
      EXPECT_EQ(finding.reason, GetParam().why) << check->id;
      EXPECT_FALSE(finding.ceiling) << check->id;
    }
  }
}

TEST_P(UnsuitableTrace, BindsNothing) {
  const Diagnosis diagnosis = GetParam().view().diagnose();

  EXPECT_EQ(diagnosis.binds, "unknown");
  EXPECT_THAT(diagnosis.sentences[0], testing::StartsWith("What binds can't be told: " + GetParam().why));
  EXPECT_THAT(diagnosis.sentences[1], testing::StartsWith("No ceiling is given"));
}

INSTANTIATE_TEST_SUITE_P(Checks, UnsuitableTrace, testing::ValuesIn(unsuitable_traces()),
                         [](const auto& row) { return row.param.name; });

TEST(SuitableTrace, IsKnown) { EXPECT_EQ(unknown_step(multiplying_steps().view().view()), std::nullopt); }

// Absurd numbers in every table: answers may be of no use, but nothing breaks.
TestView hostile(std::int64_t time, std::int64_t length) {
  TestTrace trace;
  for (int i = 0; i < 20; ++i) {
    trace.step(time, length, "ProfilerStep#" + std::to_string(i));
    trace.op(time, length, "aten::add", i);
    trace.range(time, length, "mine");
    trace.call(time, length, i, static_cast<profile::ApiKind>(i % 8));
    trace.kernel(time, length, i, i % 2 == 0 ? kAdd : "ncclKernel", i % 3,
                 static_cast<profile::ActivityKind>(i % 4));
    trace.memory(time, length).region(time, length);
    trace.compile_event(profile::CompileKind::Compilation, time, length, "");
  }
  trace.edit([](profile::Profile& p) {
    for (std::uint32_t row = 0; row < p.activities.size(); ++row) {
      p.activities.bytes[row] = std::numeric_limits<std::int64_t>::max();
    }
  });
  return trace.view();
}

TEST(HostileTrace, IsAnsweredByEveryCheck) {
  constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max() / 64;
  for (const auto& [time, length] : std::initializer_list<std::pair<std::int64_t, std::int64_t>>{
           {0, 0}, {0, -5}, {-1000, 10}, {0, kHuge}, {kHuge, kHuge}, {-kHuge, kHuge}}) {
    const TestView test = hostile(time, length);
    for (const Check* check : all_checks()) {
      const Finding finding = check->run(test.view());
      EXPECT_FALSE(finding.reason.empty()) << check->id;
      EXPECT_LE(finding.examples.size(), kMostExamples) << check->id;
    }
    EXPECT_FALSE(test.diagnose().binds.empty());
  }
}

}  // namespace
}  // namespace foretell::checks
