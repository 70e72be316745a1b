// SPDX-License-Identifier: Apache-2.0
// Rows that are no work, overlap and nesting that break the rules, keys that are optional, names that change.
#include <gmock/gmock.h>

#include <array>
#include <numeric>
#include <vector>

#include "analyzer/timeline/intervals.hpp"
#include "tests/cases/trace_text.hpp"

namespace foretell::cases {
namespace {

using profile::kNoRow;
using profile::Stat;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(Structure, A16BookkeepingRowsAreNoWork) {
  TraceText trace;
  for (int i = 0; i < 10; ++i) {
    trace.kernel({.ts = us(i * 110'000), .dur = "10"});
  }
  trace
      .add(R"({"ph": "X", "cat": "Trace", "pid": "Spans", "tid": "PyTorch Profiler", "ts": 0, "dur": 7395, )"
           R"j("name": "PyTorch Profiler (0)", "args": {"Op count": 0}})j")
      .add(R"({"name": "Iteration Start: PyTorch Profiler", "ph": "i", "s": "g", "pid": "Traces", )"
           R"("tid": "Trace PyTorch Profiler", "ts": 0})")
      .add(R"({"name": "Record Window End", "ph": "i", "s": "g", "pid": "", "tid": "", "ts": 172800000000})");

  const Analysis analysis = analyze(trace.object());

  EXPECT_EQ(analysis.facts().span_ns, 1'000'000);
  EXPECT_EQ(analysis.facts().device_busy_ns, 100'000);
  EXPECT_EQ(analysis.facts().device_busy_ns * 10, analysis.facts().span_ns);  // 10 %
  EXPECT_THAT(analysis.report(), HasSubstr("10.0 % of the span"));
  EXPECT_EQ(analysis.facts().kernels, 10U);
  EXPECT_EQ(analysis.facts().cpu_ops, 0U);
  EXPECT_EQ(analysis.count(Stat::BookkeepingRows), 3U);
  EXPECT_EQ(analysis.profile.devices.size(), 1U);  // the one process with a row of its own ...
  EXPECT_TRUE(analysis.profile.threads.empty());   // ... none of "Spans", "Traces" and ""
}

TEST(Structure, A17RealOverlapOnOneStreamIsKept) {
  TraceText trace;
  for (int i = 0; i < 100; ++i) {
    trace.kernel({.ts = us(i * 250'000), .dur = "100", .name = "first"});
    trace.kernel({.ts = us(i * 250'000 + 95'000), .dur = "100", .name = "dependent"});
  }

  const Analysis analysis = analyze(trace.object());

  EXPECT_EQ(analysis.facts().kernels, 200U);
  EXPECT_EQ(analysis.facts().kernel_sum_ns, 20'000'000);
  EXPECT_EQ(analysis.facts().kernel_busy_ns, 19'500'000);
  EXPECT_EQ(analysis.timeline.audit.corrupt, 0U);
  EXPECT_EQ(analysis.timeline.audit.kernel_sum_ns, 20'000'000);
  EXPECT_EQ(analysis.timeline.audit.overlapped_pairs, 100U);
  EXPECT_EQ(analysis.timeline.audit.overlap_ns, 100 * 5'000);
  EXPECT_TRUE(analysis.says("100 overlapped pairs"));
  EXPECT_TRUE(analysis.says("500 us"));
  EXPECT_TRUE(analysis.says("programmatic dependent launch"));
  EXPECT_FALSE(analysis.says("corrupt"));
}

TEST(Structure, A18ChildThatEndsAfterItsParentIsClippedForSelfTime) {
  TraceText trace;
  trace.op({.ts = "1622565333177893", .dur = "75", .name = "parent"})
      .op({.ts = "1622565333177901", .dur = "78", .name = "child"});

  const Analysis analysis = analyze(trace.object());

  EXPECT_EQ(analysis.op_time("parent").total_ns, 75'000);
  EXPECT_EQ(analysis.op_time("child").total_ns, 78'000);
  EXPECT_EQ(analysis.op_time("parent").self_cpu_ns, 8'000);
  EXPECT_EQ(analysis.profile.host_ops.parent[analysis.op_row("child")], analysis.op_row("parent"));
  EXPECT_EQ(analysis.count(Stat::ClippedChildren), 1U);
  EXPECT_EQ(analysis.timeline.ops.largest_overrun_ns, 11'000);
  EXPECT_TRUE(analysis.says("11.0 us"));
  for (const std::int64_t self : timeline::compute_self_times(analysis.profile.host_ops)) {
    EXPECT_GE(self, 0);
  }
}

// "x1(b1) x2(b2)": the tree as text, in the order of the table.
std::string tree(const profile::Profile& profile, std::uint32_t parent = kNoRow) {
  std::string text;
  const profile::HostOps& ops = profile.host_ops;
  for (std::uint32_t row = 0; row < ops.size(); ++row) {
    if (ops.parent[row] == parent) {
      const std::string children = tree(profile, row);
      text += text.empty() ? "" : " ";
      text += profile.text(ops.name[row]);
      text += children.empty() ? "" : "(" + children + ")";
    }
  }
  return text;
}

// X [0,10], B at 0, E at 10, X [10,20], B at 10, E at 15: with names on the ends, without, and all alike.
constexpr std::array<std::array<std::string_view, 6>, 3> kEqualStamps{{
    {R"({"ph": "X", "name": "x1", "pid": 1, "tid": 1, "ts": 0, "dur": 10})",
     R"({"ph": "B", "name": "b1", "pid": 1, "tid": 1, "ts": 0})",
     R"({"ph": "E", "name": "b1", "pid": 1, "tid": 1, "ts": 10})",
     R"({"ph": "X", "name": "x2", "pid": 1, "tid": 1, "ts": 10, "dur": 10})",
     R"({"ph": "B", "name": "b2", "pid": 1, "tid": 1, "ts": 10})",
     R"({"ph": "E", "name": "b2", "pid": 1, "tid": 1, "ts": 15})"},
    {R"({"ph": "X", "name": "x1", "pid": 1, "tid": 1, "ts": 0, "dur": 10})",
     R"({"ph": "B", "name": "b1", "pid": 1, "tid": 1, "ts": 0})",
     R"({"ph": "E", "pid": 1, "tid": 1, "ts": 10})",
     R"({"ph": "X", "name": "x2", "pid": 1, "tid": 1, "ts": 10, "dur": 10})",
     R"({"ph": "B", "name": "b2", "pid": 1, "tid": 1, "ts": 10})",
     R"({"ph": "E", "pid": 1, "tid": 1, "ts": 15})"},
    {R"({"ph": "X", "name": "same", "pid": 1, "tid": 1, "ts": 0, "dur": 10})",
     R"({"ph": "B", "name": "same", "pid": 1, "tid": 1, "ts": 0})",
     R"({"ph": "E", "name": "same", "pid": 1, "tid": 1, "ts": 10})",
     R"({"ph": "X", "name": "same", "pid": 1, "tid": 1, "ts": 10, "dur": 10})",
     R"({"ph": "B", "name": "same", "pid": 1, "tid": 1, "ts": 10})",
     R"({"ph": "E", "name": "same", "pid": 1, "tid": 1, "ts": 15})"},
}};

std::vector<std::int64_t> values(const Column<std::int64_t>& column) {
  return {column.begin(), column.end()};
}

TEST(Structure, A19TreeDoesNotDependOnTheOrderOfTheFile) {
  for (const auto& events : kEqualStamps) {
    const std::string want = &events == &kEqualStamps.back() ? "same(same) same(same)" : "x1(b1) x2(b2)";
    std::array<std::size_t, 6> order{};
    std::iota(order.begin(), order.end(), 0U);
    do {
      TraceText trace;
      for (const std::size_t i : order) {
        trace.add(events.at(i));
      }

      const auto profile = load(trace.object());

      ASSERT_TRUE(profile.has_value()) << profile.error().message;
      ASSERT_EQ(tree(*profile), want) << trace.object();
      ASSERT_THAT(values(profile->host_ops.start_ns), ElementsAre(0, 0, 10'000, 10'000)) << trace.object();
      ASSERT_THAT(values(profile->host_ops.duration_ns), ElementsAre(10'000, 10'000, 10'000, 5'000));
    } while (std::ranges::next_permutation(order).found);
  }
}

TraceText three_kernels() {
  TraceText trace;
  for (int i = 0; i < 3; ++i) {
    trace.kernel({.ts = us(i * 20'000), .dur = "10"});
  }
  return trace;
}

TEST(Structure, A20MissingRankIsAssumedAndMissingMemsetsAreZero) {
  const Analysis analysis = analyze(three_kernels().object());

  EXPECT_EQ(analysis.facts().kernels, 3U);
  EXPECT_EQ(analysis.facts().memsets, 0U);
  EXPECT_EQ(analysis.profile.info.rank, std::nullopt);
  EXPECT_THAT(analysis.report(), HasSubstr("rank not given, assumed 0"));
  EXPECT_THAT(analysis.report(), HasSubstr("copies, memsets 0, 0"));
}

constexpr std::string_view kRank3Of8 = R"( "distributedInfo": {"rank": 3, "world_size": 8})";

TEST(Structure, A20MetadataIsFoundBehindTheEvents) {
  const Analysis analysis = analyze(three_kernels().object("", fmt::format(",{}", kRank3Of8)));

  EXPECT_EQ(analysis.profile.info.rank, 3);
  EXPECT_EQ(analysis.profile.info.world_size, 8);
  EXPECT_EQ(analysis.facts().kernels, 3U);
  EXPECT_THAT(analysis.report(), HasSubstr("rank 3 of 8"));
}

TEST(Structure, A20MetadataIsFoundBeforeTheEvents) {
  const Analysis analysis = analyze(three_kernels().object(fmt::format("{},", kRank3Of8)));

  EXPECT_EQ(analysis.profile.info.rank, 3);
  EXPECT_EQ(analysis.profile.info.world_size, 8);
  EXPECT_EQ(analysis.facts().kernels, 3U);
  EXPECT_THAT(analysis.report(), HasSubstr("rank 3 of 8"));
}

TEST(Structure, A21WaitsAreNeverBusyAndOverlapIsCountedOnce) {
  TraceText trace;
  for (int i = 0; i < 10; ++i) {
    const std::int64_t begin = i * 200'000;
    trace.kernel({.ts = us(begin), .dur = "100", .stream = 7, .name = "gemm"})
        .kernel({.ts = us(begin + 10'000),
                 .dur = "80",
                 .stream = 20,
                 .name = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL"})
        .sync({.ts = us(begin + 100'000), .dur = "90", .stream = 7, .name = "Stream Sync"});
  }

  const Analysis analysis = analyze(trace.object());

  EXPECT_EQ(analysis.facts().kernels, 20U);
  EXPECT_EQ(analysis.facts().kernel_sum_ns, 1'000'000 + 800'000);
  EXPECT_EQ(analysis.facts().kernel_busy_ns, 1'000'000);
  EXPECT_EQ(analysis.facts().device_busy_ns, 1'000'000);  // 10 x 90 us of waiting are not in it
  EXPECT_EQ(analysis.facts().kernel_sum_ns - analysis.facts().kernel_busy_ns, 800'000);  // all of it overlaps
  std::vector<timeline::Interval> collectives;
  const profile::DeviceActivities& rows = analysis.profile.activities;
  for (std::uint32_t row = 0; row < rows.size(); ++row) {
    if (analysis.profile.text(rows.name[row]).starts_with("nccl")) {
      collectives.push_back({rows.start_ns[row], rows.start_ns[row] + rows.duration_ns[row]});
    }
  }
  EXPECT_EQ(timeline::union_ns(collectives), 800'000);
}

}  // namespace
}  // namespace foretell::cases
