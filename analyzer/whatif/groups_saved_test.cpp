// SPDX-License-Identifier: Apache-2.0
// What groups save: bytes, time, gaps, and the sums. Which kernels run together: groups_test.cpp.
#include <gmock/gmock.h>

#include <cstdint>
#include <limits>
#include <string_view>

#include "analyzer/whatif/groups.hpp"
#include "analyzer/whatif/test_trace.hpp"

namespace foretell::whatif {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using timeline::KernelClass;

constexpr double kMega = 1e6;

// B39: bf16 to fp32, norm, scale, fp32 to bf16 on 4,096 x 10,240.
TEST(FindGroups, CastsKeepTheSmallTensorsAtTheEnds) {
  constexpr std::string_view kFull = "[[4096, 10240]]";
  constexpr double kHalf = 4096 * 10240 * 2;  // 84 MB
  TestTrace trace;
  trace.kernels({{.name = "to_fp32",
                  .kernel_class = KernelClass::Copy,
                  .duration_ns = 84'000,
                  .bytes = 3 * kHalf,
                  .source = WorkSource::Shapes,
                  .dims = "[[4096, 10240], [4096, 10240], []]",
                  .types = R"(["float", "c10::BFloat16", "Scalar"])",
                  .op = "aten::copy_"},
                 {.name = "norm",
                  .kernel_class = KernelClass::Reduction,
                  .duration_ns = 112'000,
                  .bytes = 4 * kHalf,
                  .source = WorkSource::Shapes,
                  .dims = kFull},
                 {.name = "mul",
                  .duration_ns = 112'000,
                  .bytes = 4 * kHalf,
                  .source = WorkSource::Shapes,
                  .dims = kFull},
                 {.name = "to_bf16",
                  .kernel_class = KernelClass::Copy,
                  .duration_ns = 84'000,
                  .bytes = 3 * kHalf,
                  .source = WorkSource::Shapes,
                  .dims = "[[4096, 10240], [4096, 10240], []]",
                  .types = R"(["c10::BFloat16", "float", "Scalar"])",
                  .op = "aten::copy_"}});

  const FusionGroups found = trace.find(50 * kMega);

  ASSERT_THAT(rows_of(found), ElementsAre(ElementsAre(0, 1, 2, 3)));
  const FusionGroup& group = found.groups[0];
  EXPECT_DOUBLE_EQ(group.bytes_before, 14 * kHalf);
  EXPECT_DOUBLE_EQ(group.bytes_after, 2 * kHalf);
  EXPECT_DOUBLE_EQ(group.bytes_before / group.bytes_after, 7.0);
  EXPECT_EQ(group.bytes_source, WorkSource::Shapes);
  EXPECT_EQ(group.boundary, Boundary::Dram);
  EXPECT_EQ(group.device_ns, 392'000);
  EXPECT_NEAR(static_cast<double>(group.fused_ns), 56'000, 1);
}

TEST(FindGroups, TimeShrinksWithTheBytes) {
  TestTrace trace;
  for (int i = 0; i < 6; ++i) {
    trace.kernel(
        {.duration_ns = 60'000, .bytes = 300 * kMega, .source = WorkSource::Shapes, .dims = "[[37500000]]"});
  }
  trace.kernel({.name = "tiny_gemm", .kernel_class = KernelClass::Gemm, .duration_ns = 1500});

  const FusionGroups found = trace.find();

  ASSERT_THAT(found.groups, SizeIs(1));
  EXPECT_DOUBLE_EQ(found.groups[0].bytes_before / found.groups[0].bytes_after, 6.0);
  EXPECT_NEAR(static_cast<double>(found.groups[0].fused_ns), 60'000, 1);
  EXPECT_NEAR(static_cast<double>(found.saved_device_ns), 300'000, 1);
  EXPECT_EQ(found.kernels_removed, 5U);
}

TEST(FindGroups, SideInputsAreStillRead) {
  const auto found =
      TestTrace()
          .kernels({{.name = "relu", .bytes = 8000, .source = WorkSource::Shapes, .dims = "[[1000]]"},
                    {.name = "add",
                     .bytes = 12'000,
                     .source = WorkSource::Shapes,
                     .dims = "[[1000], [1000]]",
                     .types = R"(["float", "float"])"},
                    {.name = "gelu", .bytes = 8000, .source = WorkSource::Shapes, .dims = "[[1000]]"}})
          .find();

  ASSERT_THAT(found.groups, SizeIs(1));
  EXPECT_DOUBLE_EQ(found.groups[0].bytes_before, 28'000);
  EXPECT_DOUBLE_EQ(found.groups[0].bytes_after, 12'000);  // first read, side read, last write
}

// What passes between them is in no figure: a quarter and three of 8 kB are still one read and one write.
TEST(FindGroups, KernelsOfOneOpShareItsBytes) {
  const TestKernel statistics{.name = "statistics",
                              .kernel_class = KernelClass::Reduction,
                              .bytes = 2000,
                              .source = WorkSource::Shapes,
                              .dims = "[[1000]]"};
  TestKernel transform = statistics;
  transform.name = "transform";
  transform.bytes = 6000;
  transform.of_last_op = true;
  const TestKernel relu{.name = "relu", .bytes = 8000, .source = WorkSource::Shapes, .dims = "[[1000]]"};

  const FusionGroups alone = TestTrace().kernels({statistics, transform}).find();
  EXPECT_DOUBLE_EQ(alone.groups.at(0).bytes_after, 8000);

  const FusionGroups found = TestTrace().kernels({statistics, transform, relu}).find();
  EXPECT_DOUBLE_EQ(found.groups.at(0).bytes_before, 16'000);
  EXPECT_DOUBLE_EQ(found.groups.at(0).bytes_after, 8000);
}

// Every weight and moment is read and written, whatever is fused.
TEST(FindGroups, ParameterUpdatesSaveNoBytes) {
  const TestKernel update{.kernel_class = KernelClass::Optimizer,
                          .bytes = 9000,
                          .source = WorkSource::Shapes,
                          .dims = "[[1000]]"};
  const FusionGroups found = TestTrace().kernels({update, update, update}).find();

  ASSERT_THAT(found.groups, SizeIs(1));
  EXPECT_DOUBLE_EQ(found.groups[0].bytes_after, found.groups[0].bytes_before);
  EXPECT_EQ(found.saved_device_ns, 0);
  EXPECT_EQ(found.kernels_removed, 2U);
}

// q, k and v made contiguous one after another.
TEST(FindGroups, EqualCopiesInARowShareNoBytes) {
  const TestKernel copy{
      .name = "contiguous", .kernel_class = KernelClass::Copy, .bytes = 8000, .source = WorkSource::Recorded};
  const FusionGroups found = TestTrace().kernels({copy, copy, copy}).find();

  EXPECT_DOUBLE_EQ(found.groups.at(0).bytes_after, 24'000);
  EXPECT_EQ(found.kernels_removed, 2U);
}

TEST(FindGroups, IntermediatesThatFitTheL2SaveItsTraffic) {
  const auto boundary = [](double bytes) {
    const TestKernel kernel{.bytes = bytes, .source = WorkSource::Geometry, .dims = "[[1000]]"};
    return TestTrace().kernels({kernel, kernel}).find(50 * kMega).groups.at(0).boundary;
  };

  EXPECT_EQ(boundary(60 * kMega), Boundary::L2);  // 30 MB written, of 0.6 x 50
  EXPECT_EQ(boundary(60.1 * kMega), Boundary::Dram);
}

TEST(FindGroups, UnknownL2IsNeverTheBoundary) {
  const TestKernel kernel{.bytes = 10, .source = WorkSource::Shapes, .dims = "[[1000]]"};

  EXPECT_EQ(TestTrace().kernels({kernel, kernel}).find().groups.at(0).boundary, Boundary::Dram);
}

TEST(FindGroups, TimeStandsForUnknownBytes) {
  const FusionGroups found =
      TestTrace()
          .kernels(
              {{.duration_ns = 4000}, {.duration_ns = 4000}, {.duration_ns = 4000}, {.duration_ns = 4000}})
          .find();

  ASSERT_THAT(found.groups, SizeIs(1));
  EXPECT_EQ(found.groups[0].bytes_source, WorkSource::None);
  EXPECT_EQ(found.groups[0].bytes_before, 0);
  EXPECT_EQ(found.groups[0].fused_ns, 4000);
}

TEST(FindGroups, GapsCountWhereTheQueueWasFull) {
  const TestKernel kernel{.duration_ns = 2000, .dims = "[[1000]]", .gap_ns = 1000};

  EXPECT_EQ(TestTrace().kernels({kernel, kernel, kernel}).find().saved_gap_ns, 2000);
  EXPECT_EQ(TestTrace().lead(500).kernels({kernel, kernel, kernel}).find().saved_gap_ns, 0);
}

// B10: nothing is left to gain from graphs, but the gaps inside the replay are.
TEST(FindGroups, GapsInsideAReplayAreTheDevices) {
  TestTrace trace;
  trace.lead(5000).replay();
  for (int i = 0; i < 40; ++i) {
    trace.kernel(
        {.name = "add", .duration_ns = 1500, .bytes = 100, .source = WorkSource::Bandwidth, .gap_ns = 1200});
  }
  const FusionGroups found = trace.find();

  ASSERT_THAT(found.groups, SizeIs(1));
  EXPECT_EQ(found.families[0].op, "");
  EXPECT_EQ(found.groups[0].bytes_source, WorkSource::Bandwidth);
  EXPECT_EQ(found.saved_gap_ns, 39 * 1200);
  EXPECT_EQ(found.unclaimed_ns, 0);
}

TEST(FindGroups, SumsArePerSteadyStepAndRunsStayInside) {
  const TestKernel relu{
      .name = "relu", .duration_ns = 4000, .bytes = 8000, .source = WorkSource::Shapes, .dims = "[[1000]]"};
  TestTrace trace;
  for (const std::string_view name : {"ProfilerStep#1", "ProfilerStep#2", "ProfilerStep#3"}) {
    trace.step(name).kernels({relu, relu}).end_step();
  }
  trace.kernel({.name = "short_gemm", .kernel_class = KernelClass::Gemm, .duration_ns = 1000});

  const FusionGroups found = trace.find();

  EXPECT_THAT(found.groups, SizeIs(3));
  ASSERT_THAT(found.families, SizeIs(1));
  EXPECT_DOUBLE_EQ(found.families[0].per_step, 1.0);
  EXPECT_DOUBLE_EQ(found.families[0].bytes_before, 16'000);
  EXPECT_EQ(found.families[0].device_ns, 8000);
  EXPECT_EQ(found.families[0].op, "aten::mul");
  EXPECT_EQ(found.saved_device_ns, 4000);
  EXPECT_EQ(found.kernels_removed, 1U);
  EXPECT_DOUBLE_EQ(found.fusible_share, 1.0);  // the last kernel lies in no step
}

// B22: one GEMM, then a little to fuse beside it.
TEST(FindGroups, ShareOfWhatMayBeFused) {
  EXPECT_DOUBLE_EQ(TestTrace().kernels({kGemm, kGemm}).find().fusible_share, 0);

  const FusionGroups found =
      TestTrace()
          .kernels({{.name = "addmm", .kernel_class = KernelClass::Gemm, .duration_ns = 300'000},
                    {.name = "norm",
                     .kernel_class = KernelClass::Reduction,
                     .duration_ns = 12'000,
                     .dims = "[[1000]]"},
                    {.name = "gelu", .duration_ns = 8000, .dims = "[[1000]]"}})
          .find();
  EXPECT_DOUBLE_EQ(found.fusible_share, 20.0 / 320);
}

TEST(FindGroups, HostileDurationsAndNothingAtAll) {
  EXPECT_THAT(TestTrace().find().groups, IsEmpty());

  constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max() / 4;
  const FusionGroups found =
      TestTrace()
          .kernels({{.name = "a", .duration_ns = -5},
                    {.name = "b", .duration_ns = kHuge, .dims = "[[-1, 9223372036854775807]]"},
                    {.name = "c", .duration_ns = kHuge, .dims = "[[[[[, 99999999999999999999"},
                    {.name = "d", .duration_ns = kHuge, .dims = "]]]"}})
          .find();
  for (const FusionGroup& group : found.groups) {
    EXPECT_LE(group.fused_ns, group.device_ns);
    EXPECT_GE(group.fused_ns, 0);
  }
}

// Half of the first is read, the reduction writes next to nothing: half a microsecond by the bytes.
TEST(FindGroups, NoKernelIsShorterThanTheShortest) {
  const TestKernel mean{.name = "reduce_kernel<512, 1>",
                        .kernel_class = KernelClass::Reduction,
                        .duration_ns = 1000,
                        .bytes = 100,
                        .source = WorkSource::Bandwidth};
  const FusionGroups found =
      TestTrace()
          .kernels(
              {{.name = "pow", .duration_ns = 1000, .bytes = 100, .source = WorkSource::Bandwidth}, mean})
          .find();

  EXPECT_DOUBLE_EQ(found.groups.at(0).bytes_after, 50);
  EXPECT_EQ(found.groups.at(0).fused_ns, 1000);
}

// A loop over parameters of one size is no chain: what works in place outlives the step.
TEST(FindGroups, InPlaceOpsOfAnOptimizerStepSaveNoBytes) {
  const auto after_share = [](std::string_view range, std::string_view op) {
    const TestKernel update{.bytes = 12'000,
                            .source = WorkSource::Shapes,
                            .dims = "[[1000], [1000]]",
                            .types = R"(["float", "float"])",
                            .op = op};
    const FusionGroups found = TestTrace().range(range).kernels({update, update, update, update}).find();
    return found.groups.at(0).bytes_after / found.groups.at(0).bytes_before;
  };

  EXPECT_DOUBLE_EQ(after_share("Optimizer.step#Adam.step", "aten::add_"), 1.0);
  EXPECT_DOUBLE_EQ(after_share("Optimizer.step#Adam.step", "aten::add"), 0.5);
  EXPECT_DOUBLE_EQ(after_share("forward", "aten::add_"), 0.5);  // two reads, three of the sides, one write
}

}  // namespace
}  // namespace foretell::whatif
