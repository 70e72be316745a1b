// SPDX-License-Identifier: Apache-2.0
// The diagnosis of recorded traces: what is known of some of them, and what must hold for all.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <iostream>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>

#include "analyzer/cost/device_table.hpp"
#include "analyzer/ingest/all.hpp"
#include "analyzer/timeline/timeline.hpp"
#include "reports/build_model.hpp"
#include "tests/corpus/corpus.hpp"

namespace foretell {
namespace {

using checks::Verdict;
using timeline::IdleClass;

std::int64_t sum(const auto& parts) { return std::accumulate(parts.begin(), parts.end(), std::int64_t{0}); }

class DiagnosisOfTraces : public corpus::CorpusTest {
 protected:
  [[nodiscard]] reports::TraceReport report(const std::string& name,
                                            std::optional<double> wall_ms = {}) const {
    const auto profile = ingest::load_trace(file(name), {});
    if (!profile) {
      ADD_FAILURE() << name << ": " << profile.error().message;
      return {};
    }
    reports::ReportOptions options;
    if (wall_ms) {
      options.timeline.wall_ns = static_cast<std::int64_t>(*wall_ms * 1e6);
    }
    return reports::build_trace_report(*profile, timeline::compute_timeline(*profile, options.timeline),
                                       cost::builtin_device_table(), options);
  }
};

const checks::Finding& finding(const reports::TraceReport& report, std::string_view id) {
  for (const checks::CheckResult& result : report.checks) {
    if (result.check->id == id) {
      return result.finding;
    }
  }
  static const checks::Finding none;
  ADD_FAILURE() << "no check " << id;
  return none;
}

double busy_share(const reports::TraceReport& report) {
  return static_cast<double>(report.split.busy_ns) / static_cast<double>(report.split.step_ns);
}

double idle_share(const reports::TraceReport& report, IdleClass idle_class) {
  return static_cast<double>(of(report.split.idle_ns, idle_class)) /
         static_cast<double>(report.split.step_ns);
}

TEST_F(DiagnosisOfTraces, SmallModelsAtBatchOneAreLaunchBoundOnBothDevices) {
  for (const char* name :
       {"pairs/h100_vs_mi300x/bert_small_h100", "pairs/h100_vs_mi300x/bert_small_mi300",
        "pairs/h100_vs_mi300x/vit_falconsai_h100", "pairs/h100_vs_mi300x/vit_falconsai_mi300"}) {
    const reports::TraceReport said = report(name);
    EXPECT_EQ(said.binds, "launch") << name;
    EXPECT_LT(busy_share(said), 0.25) << name;
    EXPECT_GT(idle_share(said, IdleClass::Launch) + idle_share(said, IdleClass::Host), 0.7) << name;
  }
}

TEST_F(DiagnosisOfTraces, PrefillOfTwoThousandTokensIsDeviceBound) {
  for (const char* name :
       {"pairs/h100_vs_mi300x/qwen1p5_0p5b_h100", "pairs/h100_vs_mi300x/qwen1p5_0p5b_mi300"}) {
    const reports::TraceReport said = report(name);
    EXPECT_GT(busy_share(said), 0.95) << name;
    EXPECT_EQ(finding(said, "launch").verdict, Verdict::Clear) << name;
    EXPECT_LT(finding(said, "launch").ceiling.value_or(9), 1.02) << name;
    EXPECT_TRUE(said.binds == "traffic" || said.binds == "compute" || said.binds == "none")
        << name << said.binds;
  }
}

TEST_F(DiagnosisOfTraces, PreprocessingBeforeTheFirstKernelIsHostWorkNotLaunches) {
  for (const char* name :
       {"pairs/h100_vs_mi300x/timesformer_h100", "pairs/h100_vs_mi300x/timesformer_mi300"}) {
    const reports::TraceReport said = report(name);
    EXPECT_EQ(said.binds, "host") << name;
    EXPECT_EQ(finding(said, "host_work").verdict, Verdict::Binds) << name;
    EXPECT_NE(finding(said, "host_work").reason.find("before the first kernel"), std::string::npos) << name;
    EXPECT_EQ(finding(said, "launch").verdict, Verdict::Clear) << name;
  }
  EXPECT_NEAR(
      static_cast<double>(of(report("pairs/h100_vs_mi300x/timesformer_h100").split.idle_ns, IdleClass::Host)),
      217e6, 3e6);  // known of this trace
}

TEST_F(DiagnosisOfTraces, OneLoaderProcessIsInputBoundAndFourAreNot) {
  const reports::TraceReport none = report("pairs/dataloader_resnet50_v100/workers0");
  EXPECT_EQ(none.binds, "input");
  // known: 69.3 ms of waiting for the loader a step, of which the device works through a part
  EXPECT_GT(of(none.split.idle_ns, IdleClass::Input), 50'000'000);
  EXPECT_LT(of(none.split.idle_ns, IdleClass::Input), 69'300'000);

  const reports::TraceReport four = report("pairs/dataloader_resnet50_v100/workers4");
  EXPECT_EQ(finding(four, "data_loading").verdict, Verdict::Clear);
  EXPECT_LT(of(four.split.idle_ns, IdleClass::Input), 2'000'000);
}

TEST_F(DiagnosisOfTraces, ABareStepTimeUndoesTheProfilersDistortion) {
  const std::string name = "pairs/profiler_overhead_sd35/profiled_iteration4";
  const reports::TraceReport bare = report(name, 760);
  EXPECT_NEAR(busy_share(bare), 0.94, 0.01);
  EXPECT_EQ(finding(bare, "launch").verdict, Verdict::Clear);
  EXPECT_EQ(bare.binds, "compute");
  EXPECT_NE(bare.sentences[1].find("1.0x is the right answer"), std::string::npos) << bare.sentences[1];

  const reports::TraceReport traced = report(name);
  EXPECT_EQ(traced.integrity.verdict, timeline::Verdict::Partial);
  EXPECT_EQ(traced.binds, "unknown");
  EXPECT_EQ(finding(traced, "launch").verdict, Verdict::Unknown);
}

TEST_F(DiagnosisOfTraces, ReplayedPiecesLeaveNothingToGraph) {
  const reports::TraceReport said = report("pairs/graph_vllm_piecewise/replay");
  EXPECT_EQ(finding(said, "launch").verdict, Verdict::Clear);
  EXPECT_LT(finding(said, "launch").ceiling.value_or(9), 1.01);
  EXPECT_EQ(finding(said, "already_graphed").verdict, Verdict::Clear);
  EXPECT_GT(busy_share(said), 0.99);  // of the time in which recorded work runs
  EXPECT_EQ(said.binds, "compute");
}

TEST_F(DiagnosisOfTraces, ATinyLinearLayerIsLaunchBound) {
  const reports::TraceReport said = report("kineto/par_rtx2080ti_linear_train");
  EXPECT_EQ(said.binds, "launch");
  EXPECT_EQ(finding(said, "launch").verdict, Verdict::Binds);
}

TEST_F(DiagnosisOfTraces, InitialisationInsideTheWindowAllowsNoConclusion) {
  const reports::TraceReport said = report("kineto/hta_a100_alexnet");
  EXPECT_EQ(said.integrity.verdict, timeline::Verdict::Partial);
  EXPECT_EQ(said.binds, "unknown");
  EXPECT_FALSE(finding(said, "launch").ceiling.has_value());
  bool said_so = false;
  for (const std::string& reason : said.integrity.reasons) {
    said_so = said_so || (reason.find("initialisation") != std::string::npos &&
                          reason.find("29.9 s") != std::string::npos);
  }
  EXPECT_TRUE(said_so);
}

TEST_F(DiagnosisOfTraces, StreamCapturesAreNoRun) {
  for (const char* name :
       {"pairs/graph_vllm_decode_full/capture", "pairs/graph_sglang_qwen3_8b_decode_bs32/capture"}) {
    EXPECT_EQ(report(name).binds, "unknown") << name;
  }
}

// busy + idle classes = step per device, self CPU + untraced = step per thread, and every step's tiles fill
// it.
TEST_F(DiagnosisOfTraces, EverySumIsTheStep) {
  std::size_t checked = 0;
  for (const std::string& path : files()) {
    const auto profile = ingest::load_trace(path, {});
    if (!profile) {
      continue;  // not every file there is a readable trace
    }
    const timeline::Timeline timeline = timeline::compute_timeline(*profile);
    const timeline::Split& split = timeline.split;
    for (const timeline::DeviceTiles& device : timeline.tiles) {
      std::int64_t at = *profile->info.first_ns;
      for (const timeline::Tile& tile : device.tiles) {
        ASSERT_EQ(tile.begin_ns, at) << path;
        ASSERT_GT(tile.end_ns, at) << path;
        at = tile.end_ns;
      }
      ASSERT_EQ(at, *profile->info.last_ns) << path;
    }
    if (split.known) {
      for (const timeline::StepSplit& step : split.steps) {
        EXPECT_EQ(sum(step.busy_ns) + sum(step.idle_ns), step.end_ns - step.begin_ns) << path;
        for (const std::int64_t ns : step.idle_ns) {
          EXPECT_GE(ns, 0) << path;
        }
      }
      EXPECT_EQ(sum(split.busy), split.busy_ns) << path;
      EXPECT_EQ(split.busy_ns + sum(split.idle_ns), split.step_ns) << path;
      ++checked;
    }
    for (const std::int64_t wall_ns : {split.step_ns * 9 / 10, split.busy_ns, std::int64_t{1}}) {
      const timeline::Split bare = timeline::compute_timeline(*profile, {.wall_ns = wall_ns}).split;
      EXPECT_EQ(bare.busy_ns + sum(bare.idle_ns), bare.known ? bare.step_ns : bare.busy_ns) << path;
      EXPECT_TRUE(std::ranges::all_of(bare.idle_ns, [](std::int64_t ns) { return ns >= 0; })) << path;
    }
    for (const timeline::HostThread& thread : timeline.threads) {
      EXPECT_EQ(thread.self_cpu_ns + thread.untraced_ns, timeline.steps.step_ns) << path;
      EXPECT_GE(thread.untraced_ns, 0) << path;
    }
  }
  std::cout << checked << " traces with device time per step\n";
  EXPECT_GT(checked, 0U);
}

// The device's union of work inside a step, and the step's busy time by launch links, are two ways to the
// same number; where the host does not run ahead of the window they agree.
TEST_F(DiagnosisOfTraces, TilesAndLinksAgreeOnBusyTime) {
  std::size_t checked = 0;
  std::size_t apart = 0;
  for (const std::string& path : files()) {
    const auto profile = ingest::load_trace(path, {});
    if (!profile) {
      continue;
    }
    const timeline::Timeline timeline = timeline::compute_timeline(*profile);
    if (!timeline.split.known || timeline.steps.kind != timeline::StepKind::ProfilerStep) {
      continue;
    }
    for (std::size_t i = 0; i < timeline.split.steps.size(); ++i) {
      const auto by_tiles = static_cast<double>(sum(timeline.split.steps[i].busy_ns));
      const auto by_links = static_cast<double>(timeline.steps.all[i].busy_ns);
      ++checked;
      apart += std::abs(by_tiles - by_links) > 0.02 * std::max(by_tiles, by_links) ? 1 : 0;
    }
  }
  std::cout << apart << " of " << checked << " marked steps differ by more than 2 %\n";
  EXPECT_LT(apart * 10, checked);
}

}  // namespace
}  // namespace foretell
