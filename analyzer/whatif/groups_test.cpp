// SPDX-License-Identifier: Apache-2.0
#include "analyzer/whatif/groups.hpp"

#include <gmock/gmock.h>

#include <limits>
#include <string_view>
#include <utility>

#include "analyzer/profile/profile_builder.hpp"

namespace foretell::whatif {
namespace {

using namespace profile;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using timeline::KernelClass;

constexpr double kMega = 1e6;

struct TestKernel {
  std::string_view name = "mul";
  KernelClass kernel_class = KernelClass::Elementwise;
  std::int64_t duration_ns = 2000;
  double bytes = 0;
  WorkSource source = WorkSource::None;
  std::string_view dims;  // of its op; empty: no op is recorded
  std::string_view types = R"(["float"])";
  std::string_view op = "aten::mul";
  std::int32_t blocks = 0;  // of 128 threads; 0: no geometry
  std::int64_t gap_ns = 0;  // idle before it
  bool inner_op = false;    // the op's shapes are recorded, but an op inside it launches
  bool of_last_op = false;  // launched by the op of the kernel before
  std::int64_t stream = 7;
  ActivityKind kind = ActivityKind::Kernel;
};

// Kernels of one stream after another, each launched by its own call and op, `lead_ns` before it starts.
class TestTrace {
 public:
  TestTrace& kernel(const TestKernel& kernel) {
    Profile& p = builder_.profile();
    now_ += kernel.gap_ns;
    const std::int64_t correlation = graph_ > 0 ? graph_ : ++last_;
    last_op_ += kernel.of_last_op ? 0 : 1;
    const std::int64_t launched = now_ - lead_ns_;
    if (graph_ == 0) {
      if (!kernel.dims.empty() && !kernel.of_last_op) {
        p.op_details.input_dims.push_back(intern(kernel.dims));
        p.op_details.input_types.push_back(intern(kernel.types));
        for (auto* text : {&p.op_details.concrete_inputs, &p.op_details.input_strides,
                           &p.op_details.call_stack, &p.op_details.module_hierarchy}) {
          text->push_back(StringId::Empty);
        }
        p.op_details.sequence_number.push_back(kNoId);
        p.op_details.forward_thread.push_back(kNoId);
        const HostOp op{.start_ns = launched,
                        .duration_ns = 2,
                        .external_id = kernel.inner_op ? kNoId : last_op_,
                        .name = intern(kernel.op),
                        .thread = thread(),
                        .detail = static_cast<std::uint32_t>(p.op_details.size() - 1)};
        p.host_ops.append(op);
        if (kernel.inner_op) {
          p.host_ops.append({.start_ns = launched,
                             .duration_ns = 1,
                             .external_id = last_op_,
                             .name = intern("inner"),
                             .thread = thread()});
        }
      }
      p.api_calls.append({.start_ns = launched,
                          .duration_ns = 1,
                          .correlation = correlation,
                          .external_id = kernel.dims.empty() ? kNoId : last_op_,
                          .name = intern("cudaLaunchKernel"),
                          .thread = thread(),
                          .kind = ApiKind::KernelLaunch});
    }
    std::uint32_t launch = kNoRow;
    if (kernel.blocks > 0) {
      KernelLaunches& rows = p.kernel_launches;
      launch = static_cast<std::uint32_t>(rows.size());
      rows.grid_x.push_back(kernel.blocks);
      rows.block_x.push_back(128);
      for (auto* one : {&rows.grid_y, &rows.grid_z, &rows.block_y, &rows.block_z}) {
        one->push_back(1);
      }
      rows.registers_per_thread.push_back(-1);
      rows.shared_memory_bytes.push_back(-1);
      rows.occupancy_ratio.push_back(-1);
    }
    p.activities.append({.start_ns = now_,
                         .duration_ns = kernel.duration_ns,
                         .correlation = correlation,
                         .name = intern(kernel.name),
                         .stream = builder_.stream(0, kernel.stream),
                         .launch = launch,
                         .kind = kernel.kind});
    kernels_.push_back(kernel);
    now_ += std::max<std::int64_t>(kernel.duration_ns, 0);
    builder_.cover(launched, now_);
    return *this;
  }
  TestTrace& kernels(std::initializer_list<TestKernel> rows) {
    for (const TestKernel& row : rows) {
      kernel(row);
    }
    return *this;
  }
  // What follows is launched so long before it runs; below 0 for a host that comes late.
  TestTrace& lead(std::int64_t ns) {
    lead_ns_ = ns;
    return *this;
  }
  // What follows belongs to one replay; end_replay() ends it.
  TestTrace& replay() {
    graph_ = ++last_;
    builder_.profile().api_calls.append({.start_ns = now_ - lead_ns_,
                                         .duration_ns = 1,
                                         .correlation = graph_,
                                         .name = intern("cudaGraphLaunch"),
                                         .thread = thread(),
                                         .kind = ApiKind::GraphLaunch});
    return *this;
  }
  TestTrace& end_replay() {
    graph_ = 0;
    return *this;
  }
  // A range of the host around all that follows.
  TestTrace& range(std::string_view name) {
    builder_.profile().host_ops.append({.start_ns = now_ - lead_ns_ - 1,
                                        .duration_ns = 1'000'000'000,
                                        .name = intern(name),
                                        .thread = thread(),
                                        .kind = HostOpKind::UserAnnotation});
    return *this;
  }
  // Whatever is launched until end_step().
  TestTrace& step(std::string_view name) {
    step_name_ = name;
    step_begin_ = now_ - lead_ns_;
    return *this;
  }
  TestTrace& end_step() {
    StepMarkers& markers = builder_.profile().step_markers;
    markers.start_ns.push_back(step_begin_);
    markers.duration_ns.push_back(now_ - lead_ns_ - step_begin_);
    markers.name.push_back(intern(step_name_));
    markers.thread.push_back(thread());
    return *this;
  }

  FusionGroups find(double l2_bytes = 0, bool device_time_known = true) {
    profile_ = builder_.finish();
    timeline_.links = timeline::link(profile_);
    timeline_.audit = timeline::audit_durations(profile_, timeline_.links);
    timeline_.steps = timeline::find_steps(profile_, timeline_.links, timeline_.audit);
    timeline_.steps.device_time_known = device_time_known;
    // finish() sorts by stream, then start; equal names have equal facts in these tests
    KernelWork work;
    for (std::size_t row = 0; row < profile_.activities.size(); ++row) {
      const auto at = std::ranges::find_if(kernels_, [&](const TestKernel& kernel) {
        return kernel.name == profile_.text(profile_.activities.name[row]);
      });
      timeline_.classes.push_back(at->kernel_class);
      work.bytes.push_back(at->bytes);
      work.flops.push_back(0);
      work.bytes_source.push_back(at->source);
    }
    cost::Device device;
    if (l2_bytes > 0) {
      device.l2_bytes = cost::Quantity{l2_bytes, l2_bytes, l2_bytes, Provenance::Assumed, "test"};
    }
    return find_groups(profile_, timeline_, work, device);
  }
  [[nodiscard]] const timeline::Timeline& timeline() const { return timeline_; }

 private:
  StringId intern(std::string_view text) { return builder_.profile().strings.intern(text); }
  std::uint32_t thread() { return builder_.thread({.number = 42}, {.number = 1}); }

  ProfileBuilder builder_;
  Profile profile_;
  timeline::Timeline timeline_;
  std::vector<TestKernel> kernels_;
  std::string_view step_name_;
  std::int64_t step_begin_ = 0;
  std::int64_t now_ = 1'000'000;
  std::int64_t lead_ns_ = 100'000;
  std::int64_t last_ = 0;
  std::int64_t last_op_ = 0;
  std::int64_t graph_ = 0;
};

const TestKernel kGemm{.name = "gemm", .kernel_class = KernelClass::Gemm, .duration_ns = 30'000};

std::vector<std::vector<std::uint32_t>> rows_of(const FusionGroups& found) {
  std::vector<std::vector<std::uint32_t>> rows;
  for (const FusionGroup& group : found.groups) {
    rows.push_back(group.activities);
  }
  return rows;
}

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

TEST(FindGroups, KernelThatWaitedForAnotherStreamBeginsARun) {
  const auto groups_behind_gap = [](std::int64_t gap_ns, std::int64_t lead_ns) {
    const TestKernel kernel{.duration_ns = 2000, .dims = "[[1000]]", .gap_ns = gap_ns};
    return TestTrace().lead(lead_ns).kernels({kernel, kernel}).find();
  };

  EXPECT_EQ(groups_behind_gap(10'000, 100'000).saved_gap_ns, 10'000);
  EXPECT_THAT(groups_behind_gap(10'001, 100'000).groups, IsEmpty());
  EXPECT_THAT(groups_behind_gap(10'001, 5000).groups, SizeIs(1));  // the host came late
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

TEST(FindGroups, UnknownStepsAreSaidNotGuessed) {
  const FusionGroups found =
      TestTrace()
          .kernels({{.name = "a", .duration_ns = 1000}, kGemm, {.name = "b", .duration_ns = 1500}})
          .find(0, false);

  EXPECT_THAT(found.groups, IsEmpty());
  EXPECT_EQ(found.unclaimed_ns, 2500);
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
