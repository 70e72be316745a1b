// SPDX-License-Identifier: Apache-2.0
// Which kernels run together. What that saves: groups_saved_test.cpp.
#include "analyzer/whatif/groups.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "analyzer/whatif/test_trace.hpp"

namespace foretell::whatif {
namespace {

using profile::ActivityKind;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using timeline::KernelClass;

// B38: a norm as four kernels, nothing recorded but names and times.
TEST(FindGroups, NormOfFourKernelsIsOneGroup) {
  TestTrace trace;
  trace.lead(0);
  for (int i = 0; i < 112; ++i) {
    trace.kernels(
        {kGemm,
         {.name = "pow", .duration_ns = 2000, .bytes = 2, .source = WorkSource::Bandwidth, .gap_ns = 10'000},
         {.name = "mean",
          .kernel_class = KernelClass::Reduction,
          .duration_ns = 3000,
          .bytes = 3,
          .source = WorkSource::Bandwidth,
          .gap_ns = 10'000},
         {.name = "rsqrt",
          .duration_ns = 1500,
          .bytes = 1.5,
          .source = WorkSource::Bandwidth,
          .gap_ns = 9000},
         {.name = "scale",
          .duration_ns = 2000,
          .bytes = 2,
          .source = WorkSource::Bandwidth,
          .gap_ns = 10'500}});
  }

  const FusionGroups found = trace.find();

  ASSERT_THAT(found.families, SizeIs(1));
  const GroupFamily& family = found.families[0];
  EXPECT_THAT(family.kernels, ElementsAre("pow", "mean", "rsqrt", "scale"));
  EXPECT_EQ(family.per_step * static_cast<double>(std::max<std::uint64_t>(trace.timeline().steps.steady, 1)),
            112.0);
  EXPECT_EQ(family.bytes_source, WorkSource::Bandwidth);
  std::int64_t device_ns = 0;
  std::int64_t fused_ns = 0;
  for (const FusionGroup& group : found.groups) {
    device_ns += group.device_ns;
    fused_ns += group.fused_ns;
  }
  EXPECT_EQ(device_ns, 952'000);
  EXPECT_NEAR(static_cast<double>(fused_ns), 250'000, 30'000);
  EXPECT_EQ(found.saved_gap_ns, 0);  // the host was late: launch overhead, not fusion's
}

TEST(FindGroups, RowsBetweenFullSizesBelongToTheNorm) {
  const auto mul = [](std::string_view name, std::string_view dims, KernelClass kernel_class) {
    return TestKernel{.name = name,
                      .kernel_class = kernel_class,
                      .bytes = 1000,
                      .source = WorkSource::Shapes,
                      .dims = dims,
                      .types = R"(["float", "float"])"};
  };
  const auto find = [&](std::string_view small, std::string_view big) {
    return rows_of(TestTrace()
                       .kernels({mul("pow", "[[8, 512, 4096]]", KernelClass::Elementwise),
                                 mul("mean", "[[8, 512, 4096]]", KernelClass::Reduction),
                                 mul("add", small, KernelClass::Elementwise),
                                 mul("rsqrt", small, KernelClass::Elementwise),
                                 mul("scale", big, KernelClass::Elementwise)})
                       .find());
  };

  EXPECT_THAT(find("[[8, 512, 1]]", "[[8, 512, 4096], [8, 512, 1]]"),
              ElementsAre(ElementsAre(0, 1, 2, 3, 4)));
  // another count is no row count
  EXPECT_THAT(find("[[4097]]", "[[8, 512, 4096]]"), ElementsAre(ElementsAre(0, 1), ElementsAre(2, 3)));
  // larger than the whole
  EXPECT_THAT(find("[[8, 512, 1]]", "[[16, 512, 4096]]"), ElementsAre(ElementsAre(0, 1, 2, 3)));
  // all reduced to one value: its consumer waits for every block
  EXPECT_THAT(find("[[1]]", "[[8, 512, 4096]]"), ElementsAre(ElementsAre(0, 1, 2, 3)));
}

TEST(FindGroups, RowsNeedAReduction) {
  const auto found = TestTrace()
                         .kernels({{.name = "a", .dims = "[[1024, 1024]]"},
                                   {.name = "b", .dims = "[[1024]]"},
                                   {.name = "c", .dims = "[[1024, 1024]]"}})
                         .find();

  EXPECT_THAT(found.groups, IsEmpty());
}

struct Neighbours {
  std::string name;
  TestKernel first, second;
  bool together;
};

class Pair : public testing::TestWithParam<Neighbours> {};

TEST_P(Pair, RunsTogetherOrNot) {
  TestKernel first = GetParam().first;
  TestKernel second = GetParam().second;
  first.name = first.name == "mul" ? "first" : first.name;
  second.name = second.name == "mul" ? "second" : second.name;

  const FusionGroups found = TestTrace().kernels({first, second}).find();

  EXPECT_EQ(found.groups.size(), GetParam().together ? 1U : 0U);
}

constexpr std::string_view kVectorized =
    "void at::native::vectorized_elementwise_kernel<4, at::native::AddFunctor<float>, "
    "at::detail::Array<char*, 2> >";
constexpr std::string_view kPlain =
    "void at::native::elementwise_kernel<128, 2, at::native::gpu_kernel_impl<at::native::MulFunctor<float> > "
    ">";
// 2 to 8 elements a thread of 128
constexpr std::string_view kNewer =
    "void at::native::vectorized_elementwise_kernel<4, at::native::AddFunctor<float>, std::array<char*, 2ul> "
    ">";
constexpr std::string_view kNewerToo =
    "void at::native::vectorized_elementwise_kernel<4, at::native::MulFunctor<float>, std::array<char*, 2ul> "
    ">";

INSTANTIATE_TEST_SUITE_P(
    Rules, Pair,
    testing::Values(
        Neighbours{"EqualShapes", {.dims = "[[64, 64]]"}, {.dims = "[[4096]]"}, true},
        Neighbours{"OtherShapes", {.dims = "[[64, 64]]"}, {.dims = "[[64, 65]]"}, false},
        Neighbours{
            "EqualGrids", {.duration_ns = 100, .blocks = 80}, {.duration_ns = 900, .blocks = 80}, true},
        Neighbours{"OtherGridsOtherTimes",
                   {.duration_ns = 100, .blocks = 80},
                   {.duration_ns = 900, .blocks = 8},
                   false},
        // 80 blocks x 128 threads x 4 elements = 160 x 128 x 2
        Neighbours{"SameCover", {.name = kVectorized, .blocks = 80}, {.name = kPlain, .blocks = 160}, true},
        Neighbours{"OtherCover", {.name = kVectorized, .blocks = 80}, {.name = kPlain, .blocks = 80}, false},
        Neighbours{"ShapeInsideCover", {.dims = "[[40900]]"}, {.name = kVectorized, .blocks = 80}, true},
        Neighbours{"ShapeOutsideCover", {.dims = "[[40000]]"}, {.name = kVectorized, .blocks = 80}, false},
        Neighbours{"HiddenFactorEqualGrids",
                   {.name = kNewer, .blocks = 80},
                   {.name = kNewerToo, .blocks = 80},
                   true},
        Neighbours{"HiddenFactorOtherGrids",
                   {.name = kNewer, .blocks = 80},
                   {.name = kNewerToo, .blocks = 81},
                   false},
        Neighbours{
            "HiddenFactorMayFit", {.name = kNewer, .blocks = 80}, {.name = kPlain, .blocks = 320}, true},
        Neighbours{
            "HiddenFactorCantFit", {.name = kNewer, .blocks = 80}, {.name = kPlain, .blocks = 321}, false},
        Neighbours{"EqualBytes",
                   {.duration_ns = 100, .bytes = 1000, .source = WorkSource::Recorded},
                   {.duration_ns = 900, .bytes = 1009, .source = WorkSource::Recorded},
                   true},
        Neighbours{"AssumedBytesSayNothing",
                   {.duration_ns = 100, .bytes = 1000, .source = WorkSource::Bandwidth},
                   {.duration_ns = 900, .bytes = 1000, .source = WorkSource::Bandwidth},
                   false},
        Neighbours{"AlikeInTime", {.duration_ns = 1000}, {.duration_ns = 2000}, true},
        Neighbours{"NotAlikeInTime", {.duration_ns = 1000}, {.duration_ns = 2001}, false},
        Neighbours{"NoTimeAtAll", {.duration_ns = 0}, {.duration_ns = 0}, false},
        Neighbours{"CopyRecord",
                   {.duration_ns = 1000},
                   {.kernel_class = KernelClass::Copy, .duration_ns = 1000, .kind = ActivityKind::Memcpy},
                   false},
        Neighbours{"FillReadsNothing",
                   {.duration_ns = 1000},
                   {.kernel_class = KernelClass::Fill, .duration_ns = 1000},
                   false},
        Neighbours{"FillBegins",
                   {.kernel_class = KernelClass::Fill, .duration_ns = 1000},
                   {.duration_ns = 1000},
                   true},
        Neighbours{"AlreadyFused",
                   {.kernel_class = KernelClass::Fused, .duration_ns = 1000},
                   {.duration_ns = 1000},
                   false},
        Neighbours{"OtherStream", {.duration_ns = 1000}, {.duration_ns = 1000, .stream = 8}, false}),
    [](const auto& param) { return param.param.name; });

class Barrier : public testing::TestWithParam<KernelClass> {};

TEST_P(Barrier, NoRunGoesAcross) {
  const TestKernel between{.name = "between", .kernel_class = GetParam()};

  EXPECT_THAT(TestTrace().kernels({{.name = "a"}, between, {.name = "b"}}).find().groups, IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Classes, Barrier,
                         testing::Values(KernelClass::Gemm, KernelClass::Attention, KernelClass::Gather,
                                         KernelClass::Communication, KernelClass::Fused,
                                         KernelClass::Unknown));

TEST(FindGroups, ShapesAreThoseOfTheNearestOpThatHasThem) {
  const auto groups_of = [](std::string_view dims) {
    return TestTrace()
        .kernels({{.name = "a", .dims = "[[64, 64]]", .inner_op = true}, {.name = "b", .dims = dims}})
        .find()
        .groups.size();
  };

  EXPECT_EQ(groups_of("[[4096]]"), 1U);
  EXPECT_EQ(groups_of("[[4097]]"), 0U);
}

TEST(FindGroups, KernelThatWaitedForAnotherStreamBeginsARun) {
  const auto groups_behind_gap = [](std::int64_t gap_ns, std::int64_t lead_ns) {
    const TestKernel kernel{.duration_ns = 2000, .dims = "[[1000]]", .gap_ns = gap_ns};
    return TestTrace().lead(lead_ns).kernels({kernel, kernel}).find();
  };

  EXPECT_EQ(groups_behind_gap(10'000, 100'000).saved_gap_ns, 10'000);
  EXPECT_THAT(groups_behind_gap(10'001, 100'000).groups, IsEmpty());
  EXPECT_THAT(groups_behind_gap(10'001, 5000).groups, SizeIs(1));  // the host came late
}

TEST(FindGroups, ReplayedKernelsWithoutEvidenceAreNotClaimed) {
  const FusionGroups found =
      TestTrace()
          .replay()
          .kernels({{.name = "add", .duration_ns = 1000},
                    {.name = "norm", .kernel_class = KernelClass::Reduction, .duration_ns = 1000}})
          .find();

  EXPECT_THAT(found.groups, IsEmpty());
  EXPECT_EQ(found.unclaimed_ns, 2000);
  EXPECT_DOUBLE_EQ(found.fusible_share, 1.0);
}

TEST(FindGroups, NoRunLeavesItsReplay) {
  const TestKernel add{.name = "add", .duration_ns = 1000, .blocks = 80};
  const FusionGroups found = TestTrace()
                                 .kernels({add, add})
                                 .replay()
                                 .kernels({add, add})
                                 .end_replay()
                                 .replay()
                                 .kernels({add, add})
                                 .end_replay()
                                 .find();

  EXPECT_THAT(rows_of(found), ElementsAre(ElementsAre(0, 1), ElementsAre(2, 3), ElementsAre(4, 5)));
}

TEST(FindGroups, LongRunsAreCut) {
  TestTrace trace;
  for (int i = 0; i < 130; ++i) {
    trace.kernel({.dims = "[[1000]]"});
  }

  const FusionGroups found = trace.find();

  ASSERT_THAT(found.groups, SizeIs(3));
  EXPECT_THAT(found.groups[0].activities, SizeIs(64));
  EXPECT_THAT(found.groups[2].activities, SizeIs(2));
}

TEST(FindGroups, UnknownStepsAreSaidNotGuessed) {
  const FusionGroups found =
      TestTrace()
          .kernels({{.name = "a", .duration_ns = 1000}, kGemm, {.name = "b", .duration_ns = 1500}})
          .find(0, false);

  EXPECT_THAT(found.groups, IsEmpty());
  EXPECT_EQ(found.unclaimed_ns, 2500);
}

}  // namespace
}  // namespace foretell::whatif
