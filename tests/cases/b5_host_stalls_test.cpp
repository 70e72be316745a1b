// SPDX-License-Identifier: Apache-2.0
// Stalls of the host: waits, the data loader, pauses, copies that block, and launches that should be one.
#include <gmock/gmock.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "tests/cases/launch_loop.hpp"

namespace foretell::cases {
namespace {

using checks::Verdict;
using testing::HasSubstr;
using timeline::IdleClass;

constexpr int kSteps = 5;

TEST(HostStalls, B23OneSyncPerBlock) {
  constexpr int kBlocks = 24;
  TraceText trace;
  LaunchLoop loop(trace);
  for (int step = 0; step < kSteps; ++step) {
    for (int block = 0; block < kBlocks; ++block) {
      loop.launch_many(10, {.duration_ns = 200'000}, 10'000);
      loop.copy({.duration_ns = 1'500, .name = "Memcpy DtoH (Device -> Pinned)", .args = R"("bytes": 4)"});
      // 10 us until the host is back, 60 us of its own work, 5 us until the next kernel starts
      loop.pass(5'000).wait(10'000).work(60'000, "clip_scale");
    }
    loop.end_step();
  }

  const Analysis analysis = analyze(trace.object(kH100));

  EXPECT_EQ(analysis.evidence("host_syncs", "syncs_per_step"), kBlocks);
  EXPECT_EQ(analysis.evidence("host_syncs", "host_reads_per_step"), kBlocks);
  EXPECT_NEAR(analysis.evidence("host_syncs", "idle_ns_per_sync"), 75'000, 1'000);
  EXPECT_EQ(analysis.idle_ns(IdleClass::Launch), 0) << analysis.diagnosed();  // the waits caused it
  ASSERT_FALSE(analysis.finding("host_syncs").examples.empty());
  const checks::Example& where = analysis.finding("host_syncs").examples.front();
  EXPECT_EQ(where.count, static_cast<std::uint64_t>(kBlocks));
  EXPECT_THAT(where.what, HasSubstr("cudaStreamSynchronize"));
  EXPECT_THAT(where.what, HasSubstr("after gemm"));
  // 24 x 75 us of a step of 50 ms, in this sketch
  EXPECT_NEAR(analysis.ceiling("host_syncs"), 50.0 / (50.0 - 1.8), 0.005);
  EXPECT_EQ(analysis.verdict_on("host_syncs"), Verdict::Clear);
  EXPECT_EQ(analysis.binds(), "compute");
}

TEST(HostStalls, B24WaitForQueuedWorkIsHarmless) {
  TraceText trace;
  LaunchLoop loop(trace);
  for (int step = 0; step < kSteps; ++step) {
    loop.launch_many(100, {.duration_ns = 25'000}, 4'000).pass(5'000);
    EXPECT_EQ(loop.now_ns() % 2'505'000, 405'000);
    loop.wait().end_step();
  }

  const Analysis analysis = analyze(trace.object(kH100));

  EXPECT_EQ(analysis.timeline.split.step_ns, 2'505'000);
  EXPECT_EQ(analysis.evidence("host_syncs", "wait_ns_per_step"), 2'100'000);
  EXPECT_EQ(analysis.evidence("host_syncs", "busy_ns_in_wait_per_step"), 2'100'000);
  EXPECT_LE(analysis.evidence("host_syncs", "sync_idle_ns"), 5'000);  // the start of the next step
  EXPECT_EQ(analysis.verdict_on("host_syncs"), Verdict::Clear);
  EXPECT_THAT(analysis.finding("host_syncs").reason, HasSubstr("harmless"));
  EXPECT_EQ(analysis.verdict_on("launch"), Verdict::Clear);
  EXPECT_NEAR(analysis.ceiling("launch"), 1.0, 0.003);  // those 5 us of 2.5 ms
  EXPECT_EQ(analysis.binds(), "compute") << analysis.diagnosed();
}

TEST(HostStalls, B25DataLoader) {
  constexpr std::string_view kLoader = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__";
  for (const bool as_op : {false, true}) {  // how profilers of both generations record the range
    SCOPED_TRACE(as_op);
    TraceText trace;
    LaunchLoop loop(trace);
    for (int step = 0; step < 10; ++step) {
      const HostRow range{.ts = us(loop.now_ns()), .dur = "791000", .name = std::string(kLoader)};
      as_op ? trace.op(range) : trace.annotation(range);
      loop.pass(791'000'000).launch_many(960, {.duration_ns = 62'500}, 100'000).end_step();
    }

    const Analysis analysis = analyze(trace.object(kH100));

    EXPECT_EQ(analysis.timeline.split.step_ns, 887'000'000);
    EXPECT_EQ(analysis.timeline.split.busy_ns, 60'000'000);
    EXPECT_EQ(analysis.verdict_on("data_loading"), Verdict::Binds);
    EXPECT_NEAR(analysis.evidence("data_loading", "input_idle_ns"), 791e6, 0.1e6);  // where a gap is cut
    EXPECT_GE(analysis.ceiling("launch"), 1.0);
    EXPECT_LE(analysis.ceiling("launch"), 1.12);  // 887 / 791
    EXPECT_EQ(analysis.verdict_on("launch"), Verdict::Clear);
    EXPECT_EQ(analysis.binds(), "input") << analysis.diagnosed();
  }
}

TEST(HostStalls, B26PausesAreNotLaunchOverhead) {
  TraceText trace;
  LaunchLoop loop(trace);
  for (int step = 0; step < 52; ++step) {
    loop.launch_many(50, {.duration_ns = 980'000}, 1'000'000);
    loop.pass(step == 17 || step == 40 ? 1'300'000'000 : 0);
    loop.launch_many(50, {.duration_ns = 980'000}, 1'000'000).end_step();
  }

  const Analysis analysis = analyze(trace.object(kH100));

  EXPECT_EQ(analysis.timeline.steps.step_ns, 100'000'000);  // median
  EXPECT_NEAR(analysis.busy_share(), 0.98, 0.0005);
  EXPECT_EQ(analysis.evidence("steady_state", "outlier_steps"), 2);
  EXPECT_EQ(analysis.verdict_on("steady_state"), Verdict::Binds);
  EXPECT_EQ(analysis.evidence("steady_state", "step_longest_ns"), 1.4e9);
  // 20 us between kernels are the launches', the holes are not
  EXPECT_NEAR(analysis.evidence("launch", "launch_idle_ns"), 2e6, 0.05e6);
  EXPECT_EQ(analysis.verdict_on("launch"), Verdict::Clear);
  EXPECT_LE(analysis.ceiling("launch"), 1.021);
  EXPECT_EQ(analysis.evidence("pauses", "pause_ns_per_step"), 0);
  EXPECT_NEAR(analysis.evidence("pauses", "longest_pause_ns"), 1.3e9, 0.1e6);
  EXPECT_NEAR(analysis.evidence("pauses", "pause_ns_in_steady_steps"), 2.6e9, 0.2e6);
  EXPECT_EQ(analysis.verdict_on("pauses"), Verdict::Binds);
  EXPECT_THAT(analysis.finding("pauses").reason, HasSubstr("not launches"));
  EXPECT_THAT(analysis.trace_report.sentences[0], HasSubstr("longest 1.30 s in ProfilerStep#"));
  EXPECT_EQ(analysis.binds(), "unknown") << analysis.diagnosed();  // what the host did is not recorded
}

TEST(HostStalls, B27PageableCopiesBlock) {
  TraceText trace;
  LaunchLoop loop(trace, {.latency_ns = 3'000});
  for (int step = 0; step < kSteps; ++step) {
    for (int copy = 0; copy < 3; ++copy) {
      loop.blocking_copy({.duration_ns = 139'000,
                          .name = "Memcpy HtoD (Pageable -> Device)",
                          .args = R"("bytes": 1573000)"});
    }
    loop.launch_many(10, {.duration_ns = 200'000}, 5'000).end_step();
  }

  const Analysis analysis = analyze(trace.object(kH100));

  EXPECT_EQ(analysis.timeline.split.step_ns, 2'420'000);
  EXPECT_EQ(analysis.verdict_on("pageable_copies"), Verdict::Binds);
  EXPECT_EQ(analysis.evidence("pageable_copies", "pageable_copies_per_step"), 3);
  EXPECT_EQ(analysis.evidence("pageable_copies", "pageable_bytes_per_step"), 3 * 1'573'000);
  EXPECT_EQ(analysis.evidence("pageable_copies", "pageable_copy_ns_per_step"), 3 * 139'000);
  const double lost = analysis.evidence("pageable_copies", "exposed_copy_ns") +
                      analysis.evidence("pageable_copies", "copy_idle_ns");
  EXPECT_EQ(lost, 420'000);  // of 2.42 ms: three copies, and the 3 us that the device waits behind them
  EXPECT_NEAR(analysis.ceiling("pageable_copies"), 2.42 / 2.0, 0.001);
  EXPECT_THAT(analysis.finding("pageable_copies").reason, HasSubstr("3 host copies a step (3 pageable)"));
  EXPECT_EQ(analysis.binds(), "copy") << analysis.diagnosed();
}

TEST(HostStalls, B28OneLaunchPerSequence) {
  TraceText trace;
  LaunchLoop loop(trace, {.latency_ns = 0});
  for (int step = 0; step < kSteps; ++step) {
    loop.launch_many(300,
                     {.duration_ns = 20'000,
                      .name = "argmax_kernel",
                      .args = R"("grid": [1, 1, 1], "block": [256, 1, 1])"},
                     5'000);
    loop.launch_many(28, {.duration_ns = 500'000, .args = R"("grid": [528, 1, 1], "block": [256, 1, 1])"},
                     5'000);
    loop.end_step();
  }

  const Analysis analysis = analyze(trace.object(kH100));

  EXPECT_EQ(analysis.timeline.split.step_ns, 20'000'000);
  EXPECT_EQ(analysis.busy_share(), 1.0);
  EXPECT_EQ(analysis.verdict_on("tiny_kernels"), Verdict::Binds);
  EXPECT_EQ(analysis.evidence("tiny_kernels", "batchable_kernels_per_step"), 300);
  EXPECT_EQ(analysis.evidence("tiny_kernels", "one_block_ns_per_step"), 6'000'000);
  EXPECT_NEAR(analysis.ceiling("tiny_kernels"), 20.0 / 14.0, 0.001);
  EXPECT_THAT(analysis.finding("tiny_kernels").reason, HasSubstr("300 launches of one block"));
  ASSERT_EQ(analysis.finding("tiny_kernels").examples.size(), 1U);
  EXPECT_EQ(analysis.finding("tiny_kernels").examples.front().what, "argmax_kernel");
  EXPECT_THAT(analysis.finding("tiny_kernels").examples.front().where,
              HasSubstr("batchable: 300 launches of 1 block"));
  EXPECT_EQ(analysis.verdict_on("launch"), Verdict::Clear);
}

}  // namespace
}  // namespace foretell::cases
