// SPDX-License-Identifier: Apache-2.0
// Who launched what: unknown calls, zero and shared ids, two id spaces, lost launches, overhead rows.
#include <gmock/gmock.h>

#include "tests/cases/trace_text.hpp"

namespace foretell::cases {
namespace {

using profile::kNoRow;
using profile::Stat;
using timeline::Verdict;

TEST(LaunchLinks, A22LinkIsByCorrelationWhateverTheCallIsNamed) {
  TraceText trace;
  for (int i = 0; i < 30; ++i) {
    const CallRow call{.ts = us(i * 20'000), .dur = "5", .correlation = i + 1};
    CallRow named = call;
    named.name = i < 10 ? "cudaLaunchKernel" : i < 20 ? "cuLaunchKernelEx" : "cudaLaunchKernelExC_v11060";
    (i >= 10 && i < 20) ? trace.driver_call(named) : trace.call(named);
    trace.kernel({.ts = us(i * 20'000 + 8'000), .dur = "10", .correlation = i + 1});
  }

  const Analysis analysis = analyze(trace.object());

  EXPECT_EQ(analysis.facts().kernels, 30U);
  EXPECT_EQ(analysis.facts().launch_calls, 30U);
  EXPECT_EQ(analysis.timeline.links.linked_kernels, 30U);
  EXPECT_EQ(analysis.facts().linked_share, 1.0);
  EXPECT_EQ(analysis.timeline.launches.linked, 30U);
  EXPECT_EQ(analysis.verdict(), Verdict::Complete) << analysis.said();
}

TEST(LaunchLinks, A23CorrelationZeroIsNoLinkAndHalfAnArrowIsEnough) {
  TraceText trace;
  for (int i = 0; i < 5; ++i) {
    trace.call({.ts = us(i * 10'000), .dur = "2", .correlation = i + 1});
    trace.kernel({.ts = us(100'000 + i * 10'000), .dur = "5", .correlation = 0, .name = "unlinked"});
  }
  trace.call({.ts = "50", .dur = "2", .correlation = 0});
  for (int i = 0; i < 3; ++i) {
    trace.kernel({.ts = us(200'000 + i * 10'000), .dur = "5", .correlation = i + 1, .name = "linked"});
    trace.add(fmt::format(
        R"({{"ph": "f", "bp": "e", "id": {}, "pid": 0, "tid": 7, "ts": {}, "cat": "ac2g", "name": "ac2g"}})",
        i + 1, 200 + i * 10));
  }

  const Analysis analysis = analyze(trace.object());

  EXPECT_EQ(analysis.facts().kernels, 8U);
  EXPECT_EQ(analysis.facts().launch_calls, 6U);
  EXPECT_EQ(analysis.timeline.links.linked_kernels, 3U);
  EXPECT_EQ(analysis.facts().linked_share, 3.0 / 8.0);
  const profile::Profile& profile = analysis.profile;
  for (std::uint32_t row = 0; row < profile.activities.size(); ++row) {
    const std::uint32_t call = analysis.timeline.links.call_of_activity[row];
    if (profile.text(profile.activities.name[row]) == "unlinked") {
      EXPECT_EQ(call, kNoRow);
    } else {
      ASSERT_NE(call, kNoRow);
      EXPECT_EQ(profile.api_calls.correlation[call], profile.activities.correlation[row]);
    }
  }
  EXPECT_EQ(analysis.timeline.links.ambiguous_activities, 0U);
  EXPECT_EQ(analysis.count(Stat::DanglingFlows), 3U);
  EXPECT_TRUE(analysis.says("5 of 8 kernels without a launch"));
}

TEST(LaunchLinks, A23OneIdForManyCallsAndManyCopiesIsAmbiguous) {
  TraceText trace;
  for (int i = 0; i < 3; ++i) {
    trace.call({.ts = us(i * 10'000), .dur = "2", .correlation = 9, .name = "hipMemcpyAsync"});
    trace.memcpy({.ts = us(100'000 + i * 10'000), .dur = "5", .correlation = 9, .name = "CopyHostToDevice"});
  }

  const Analysis analysis = analyze(trace.object());

  EXPECT_EQ(analysis.timeline.links.ambiguous_activities, 3U);
  for (const std::uint32_t call : analysis.timeline.links.call_of_activity) {
    EXPECT_EQ(call, kNoRow);
  }
  EXPECT_TRUE(analysis.says("ambiguous"));
}

TEST(LaunchLinks, A24CorrelationAndExternalIdAreTwoIdSpaces) {
  TraceText trace;
  trace.op({.ts = "0", .dur = "20", .name = "aten::add", .external_id = 23})
      .call({.ts = "5", .dur = "5", .correlation = 7, .external_id = 23})
      .kernel({.ts = "12", .dur = "50", .correlation = 7, .name = "add_kernel"})
      .op({.ts = "30", .dur = "20", .name = "aten::relu", .external_id = 99})
      .call({.ts = "35", .dur = "5", .correlation = 23, .external_id = 99})
      .kernel({.ts = "70", .dur = "5", .correlation = 23, .name = "relu_kernel"});

  const Analysis analysis = analyze(trace.object());

  EXPECT_EQ(analysis.op_time("aten::add").device_ns, 50'000);
  EXPECT_EQ(analysis.op_time("aten::relu").device_ns, 5'000);
  EXPECT_EQ(analysis.timeline.ops.by_name.size(), 2U);  // the runtime rows have no device time of their own
  const timeline::Links& links = analysis.timeline.links;
  EXPECT_EQ(links.op_of_activity[analysis.activity_row("add_kernel")], analysis.op_row("aten::add"));
  EXPECT_EQ(links.op_of_activity[analysis.activity_row("relu_kernel")], analysis.op_row("aten::relu"));
  EXPECT_EQ(analysis.facts().linked_share, 1.0);
}

TEST(LaunchLinks, A25KernelsWithoutALaunchDoNotPushTheQueueBelowZero) {
  TraceText trace;
  for (int i = 0; i < 20; ++i) {
    trace.kernel({.ts = us(i * 10'000), .dur = "5", .correlation = 5'000 + i});
  }
  for (int i = 0; i < 80; ++i) {
    trace.call({.ts = us(200'000 + i * 10'000), .dur = "2", .correlation = i + 1});
    trace.kernel({.ts = us(204'000 + i * 10'000), .dur = "5", .correlation = i + 1});
  }

  const Analysis analysis = analyze(trace.object());

  EXPECT_EQ(analysis.facts().kernels, 100U);
  EXPECT_EQ(analysis.facts().launch_calls, 80U);
  EXPECT_EQ(analysis.timeline.launches.linked, 80U);
  EXPECT_EQ(analysis.timeline.launches.queue_min, 0);
  EXPECT_EQ(analysis.facts().kernel_busy_ns, 500'000);  // all 100 count for busy time
  EXPECT_EQ(analysis.facts().linked_share, 0.8);
  EXPECT_EQ(analysis.verdict(), Verdict::Partial);
  EXPECT_TRUE(analysis.says("20 of 100 kernels without a launch"));
  EXPECT_TRUE(analysis.says("before the window, or lost"));
}

TEST(LaunchLinks, A26OverheadRowsClaimNoDeviceTime) {
  const auto overhead = [](std::string_view name, std::string_view ts, std::string_view dur) {
    return fmt::format(
        R"({{"ph": "X", "cat": "overhead", "name": "{}", "pid": -1, "tid": 0, "ts": {}, "dur": {}, )"
        R"("args": {{"External id": 23, "deviceId": -1}}}})",
        name, ts, dur);
  };
  TraceText trace;
  trace.op({.ts = "0", .dur = "40", .name = "aten::add", .external_id = 23})
      .add(overhead("Lazy Function Loading", "2", "11"))
      .add(overhead("Activity Buffer Request", "14", "6"))
      .call({.ts = "25", .dur = "5", .correlation = 7, .external_id = 23})
      .kernel({.ts = "45", .dur = "8", .correlation = 7, .name = "add_kernel"});

  const Analysis analysis = analyze(trace.object());

  EXPECT_EQ(analysis.op_time("aten::add").device_ns, 8'000);
  EXPECT_EQ(analysis.op_time("aten::add").kernels, 1U);
  EXPECT_EQ(analysis.timeline.ops.overhead_ns, 17'000);
  EXPECT_EQ(analysis.timeline.ops.by_name.size(), 1U);
  EXPECT_THAT(analysis.report(), testing::HasSubstr("17.0 us of host time"));
  EXPECT_EQ(analysis.facts().kernel_sum_ns, 8'000);
  EXPECT_EQ(analysis.facts().cpu_ops, 1U);
}

}  // namespace
}  // namespace foretell::cases
