// SPDX-License-Identifier: Apache-2.0
#include "analyzer/whatif/kernel_work.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "analyzer/profile/profile.hpp"

namespace foretell::whatif {
namespace {

using profile::ActivityKind;
using profile::kNoRow;
using profile::Profile;
using timeline::KernelClass;

constexpr std::string_view kAdd =
    "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, "
    "at::detail::Array<char*, 3> >(int)";
constexpr double kBandwidth = 1000;  // bytes/ns

struct Op {
  std::string_view name, dims, types;
  std::uint32_t parent = kNoRow;
};
struct Activity {
  std::string_view name;
  std::int64_t duration_ns = 0;
  std::uint32_t op = kNoRow;
  std::int32_t blocks = -1;
  std::int64_t bytes = -1;
  ActivityKind kind = ActivityKind::Kernel;
};

// A profile and the parts of its timeline that this needs, made by hand.
struct Scene {
  Profile profile;
  timeline::Timeline timeline;

  Scene(const std::vector<Op>& ops, const std::vector<Activity>& activities) {
    const auto intern = [&](std::string_view text) { return profile.strings.intern(text); };
    for (const Op& op : ops) {
      const auto detail = static_cast<std::uint32_t>(profile.op_details.size());
      profile.op_details.input_dims.push_back(intern(op.dims));
      profile.op_details.input_types.push_back(intern(op.types));
      profile.op_details.concrete_inputs.push_back(StringId::Empty);
      profile.host_ops.append({.name = intern(op.name), .detail = op.dims.empty() ? kNoRow : detail});
      profile.host_ops.parent.push_back(op.parent);
    }
    for (const Activity& each : activities) {
      std::uint32_t launch = kNoRow;
      if (each.blocks >= 0) {
        profile::KernelLaunches& launches = profile.kernel_launches;
        launch = static_cast<std::uint32_t>(launches.size());
        launches.grid_x.push_back(each.blocks);
        launches.block_x.push_back(64);
        for (auto* column : {&launches.grid_y, &launches.grid_z, &launches.block_y, &launches.block_z}) {
          column->push_back(1);
        }
      }
      profile.activities.append({.duration_ns = each.duration_ns,
                                 .bytes = each.bytes,
                                 .name = intern(each.name),
                                 .launch = launch,
                                 .kind = each.kind});
      timeline.links.op_of_activity.push_back(each.op);
      timeline.audit.duration_ns.push_back(each.duration_ns);
    }
    timeline.classes = timeline::classify_activities(profile);
  }

  [[nodiscard]] KernelWork work(double bandwidth = kBandwidth) const {
    return compute_kernel_work(profile, timeline, bandwidth);
  }
};

constexpr std::string_view kTwoFloats = R"(["float", "float"])";

TEST(KernelWork, CopiesWithinADeviceReadAndWrite) {
  const KernelWork work =
      Scene({}, {{.name = "Memcpy DtoD (Device -> Device)", .bytes = 100, .kind = ActivityKind::Memcpy},
                 {.name = "Memcpy HtoD (Pinned -> Device)", .bytes = 100, .kind = ActivityKind::Memcpy},
                 {.name = "Memset (Device)", .bytes = 100, .kind = ActivityKind::Memset},
                 {.name = "Memset (Device)", .duration_ns = 9, .kind = ActivityKind::Memset}})
          .work();
  EXPECT_EQ(work.bytes[0], 200);
  EXPECT_EQ(work.bytes[1], 100);
  EXPECT_EQ(work.bytes[2], 100);
  EXPECT_EQ(work.bytes_source[2], WorkSource::Recorded);
  EXPECT_EQ(work.bytes[3], 0) << "not recorded";
  EXPECT_EQ(work.bytes_source[3], WorkSource::None);
}

TEST(KernelWork, ShapesAreThoseOfTheInnermostOpThatHasTensors) {
  const KernelWork work = Scene({{"aten::mul", "[[8], [8]]", kTwoFloats},
                                 {"aten::add", "[[16], [16]]", kTwoFloats, 0},
                                 {"aten::empty", "[[], []]", R"(["Scalar", ""])", 1},
                                 {"no details", "", "", 2}},
                                {{.name = kAdd, .duration_ns = 10, .op = 3}})
                              .work();
  EXPECT_EQ(work.bytes[0], 4 * 48);
  EXPECT_EQ(work.bytes_source[0], WorkSource::Shapes);
  EXPECT_EQ(work.flops[0], 0);
}

TEST(KernelWork, FarAncestorsAndRangesDoNotCount) {
  std::vector<Op> ops{{"aten::add", "[[16], [16]]", kTwoFloats}};
  for (std::uint32_t i = 0; i < 6; ++i) {
    ops.push_back({"wrapper", "", "", i});
  }
  Scene far(ops, {{.name = kAdd, .duration_ns = 10, .op = 6}});
  EXPECT_EQ(far.work().bytes_source[0], WorkSource::Bandwidth);
  Scene range({{"aten::add", "[[16], [16]]", kTwoFloats}}, {{.name = kAdd, .duration_ns = 10, .op = 0}});
  range.profile.host_ops.kind[0] = profile::HostOpKind::UserAnnotation;
  EXPECT_EQ(range.work().bytes_source[0], WorkSource::Bandwidth);
}

TEST(KernelWork, KernelsOfOneOpShareItsWorkByTime) {
  const KernelWork work = Scene({{"aten::mm", "[[4, 8], [8, 16]]", kTwoFloats}},
                                {{.name = "volta_sgemm_64x64_nt", .duration_ns = 30, .op = 0},
                                 {.name = "splitKreduce_kernel", .duration_ns = 10, .op = 0},
                                 {.name = "batched_transpose_32x32_half", .duration_ns = 5, .op = 0}})
                              .work();
  EXPECT_EQ(work.flops[0], 1024 * 0.75);
  EXPECT_EQ(work.flops[1], 1024 * 0.25);
  EXPECT_EQ(work.bytes[0] + work.bytes[1], 4 * (32 + 128 + 64));
  EXPECT_EQ(work.precision[0], Precision::Fp32);
  EXPECT_EQ(work.flops[2], 0) << "a layout change is no part of the product";
  EXPECT_EQ(work.bytes_source[2], WorkSource::Bandwidth);
}

TEST(KernelWork, KernelsWithoutDurationShareEvenly) {
  const KernelWork work = Scene({{"aten::mm", "[[4, 8], [8, 16]]", kTwoFloats}},
                                {{.name = "sgemm", .op = 0}, {.name = "sgemm", .op = 0}})
                              .work();
  EXPECT_EQ(work.flops[0], 512);
  EXPECT_EQ(work.flops[1], 512);
}

TEST(KernelWork, PrecisionFollowsTypeAndInstruction) {
  const auto precision = [](std::string_view type, std::string_view kernel) {
    const std::string types = "[\"" + std::string(type) + "\", \"" + std::string(type) + "\"]";
    return Scene({{"aten::mm", "[[4, 8], [8, 16]]", types}}, {{.name = kernel, .duration_ns = 1, .op = 0}})
        .work()
        .precision[0];
  };
  EXPECT_EQ(precision("float", "ampere_sgemm_128x64_nn"), Precision::Fp32);
  EXPECT_EQ(precision("float", "void cutlass::Kernel<cutlass_80_tensorop_s1688gemm_64x64>"), Precision::Tf32);
  EXPECT_EQ(precision("c10::BFloat16", "nvjet_tst_64x64"), Precision::Bf16);
  EXPECT_EQ(precision("c10::Half", "volta_fp16_s884gemm_fp16_128x64"), Precision::Fp16);
  EXPECT_EQ(precision("c10::Float8_e4m3fn", "nvjet_qqtst_64x64"), Precision::Fp8);
  EXPECT_EQ(precision("double", "dgemm"), Precision::Unknown);
}

TEST(KernelWork, WithoutShapesGeometryBoundsFrameworkKernels) {
  const KernelWork work = Scene({}, {{.name = kAdd, .duration_ns = 10, .blocks = 5}}).work();
  EXPECT_EQ(work.bytes[0], 5 * 64 * 4 * 12);
  EXPECT_EQ(work.bytes_source[0], WorkSource::Geometry);
}

TEST(KernelWork, ElseTimeAndBandwidthForWhatMovesMemory) {
  const Scene scene({}, {{.name = "softmax_warp_forward", .duration_ns = 10},
                         {.name = "volta_sgemm_64x64_nt", .duration_ns = 10},
                         {.name = "ncclDevKernel_Generic", .duration_ns = 10},
                         {.name = "who knows", .duration_ns = 10},
                         {.name = "triton_poi_fused_add_0", .duration_ns = 10},
                         {.name = kAdd, .duration_ns = 0}});
  const KernelWork work = scene.work();
  EXPECT_EQ(work.bytes[0], 10 * kBandwidth);
  EXPECT_EQ(work.bytes_source[0], WorkSource::Bandwidth);
  for (const std::size_t row : {1U, 2U, 3U, 5U}) {
    EXPECT_EQ(work.bytes[row], 0) << row;
    EXPECT_EQ(work.bytes_source[row], WorkSource::None) << row;
  }
  EXPECT_EQ(work.bytes_source[4], WorkSource::Bandwidth);
  EXPECT_EQ(scene.work(0).bytes_source[0], WorkSource::None) << "bandwidth not known";
}

TEST(KernelWork, UnreadableShapesCountAsNone) {
  const KernelWork work =
      Scene({{"aten::add", "[[8, 99999999999999999999]]", kTwoFloats},
             {"aten::add", "[[9223372036854775807, 9223372036854775807]]", kTwoFloats}},
            {{.name = kAdd, .duration_ns = 10, .op = 0}, {.name = kAdd, .duration_ns = 10, .op = 1}})
          .work();
  EXPECT_EQ(work.bytes_source[0], WorkSource::Bandwidth);
  EXPECT_EQ(work.bytes_source[1], WorkSource::Bandwidth);
}

TEST(KernelWork, EmptyProfile) {
  const KernelWork work = Scene({}, {}).work();
  EXPECT_EQ(work.bytes.size(), 0U);
}

TEST(KernelWork, SourcesHaveTheirNamesAndProvenance) {
  EXPECT_EQ(to_string(WorkSource::Geometry), "geometry");
  EXPECT_EQ(provenance_of(WorkSource::Recorded), Provenance::Measured);
  EXPECT_EQ(provenance_of(WorkSource::Shapes), Provenance::Derived);
  EXPECT_EQ(provenance_of(WorkSource::Geometry), Provenance::Derived);
  EXPECT_EQ(provenance_of(WorkSource::Bandwidth), Provenance::Assumed);
}

cost::Device make_device() {
  cost::Device device;
  device.dram_achievable_gbps = cost::Quantity{.expected = 100, .source = {}};
  device.fp32_tflops = cost::Quantity{.expected = 1, .source = {}};
  device.fp16_dense_tflops = cost::Quantity{.expected = 8, .source = {}};
  return device;
}

TEST(ClassTable, LongestClassFirstWithSharesThatSumToOne) {
  const Scene scene({}, {{.name = kAdd, .duration_ns = 10},
                         {.name = "volta_sgemm_64x64_nt", .duration_ns = 70},
                         {.name = kAdd, .duration_ns = 20},
                         {.name = "Event Sync", .duration_ns = 1000, .kind = ActivityKind::Sync}});
  const auto rows = tabulate_classes(scene.profile, scene.timeline, scene.work(), make_device());
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].kernel_class, KernelClass::Gemm);
  EXPECT_EQ(rows[0].share, 0.7);
  EXPECT_EQ(rows[0].bytes_source, WorkSource::None);
  EXPECT_EQ(rows[0].roof_share, 0) << "no flops known";
  EXPECT_EQ(rows[1].activities, 2U);
  EXPECT_EQ(rows[1].device_ns, 30);
  EXPECT_EQ(rows[1].bytes, 30 * kBandwidth);
  EXPECT_EQ(rows[1].bytes_source, WorkSource::Bandwidth);
  EXPECT_EQ(rows[1].bytes_per_ns, 0) << "an assumed figure is no achievement";
}

TEST(ClassTable, MemoryBoundClassIsHeldAgainstTheBandwidth) {
  const Scene scene({{"aten::add", "[[8], [8]]", kTwoFloats}}, {{.name = kAdd, .duration_ns = 2, .op = 0}});
  const auto rows = tabulate_classes(scene.profile, scene.timeline, scene.work(), make_device());
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].bytes_per_ns, 48);
  EXPECT_DOUBLE_EQ(rows[0].roof_share, 0.48);
  EXPECT_EQ(rows[0].flops_per_byte, 0);
}

TEST(ClassTable, RoofIsBandwidthAtLowIntensityAndThePeakAtHigh) {
  const auto row_of = [](std::string_view dims, const cost::Device& device) {
    const Scene scene({{"aten::mm", dims, kTwoFloats}}, {{.name = "sgemm", .duration_ns = 1000, .op = 0}});
    return tabulate_classes(scene.profile, scene.timeline, scene.work(), device).at(0);
  };
  const ClassRow low = row_of("[[4, 4], [4, 4]]", make_device());
  EXPECT_DOUBLE_EQ(low.flops_per_byte, 128.0 / 192);
  EXPECT_DOUBLE_EQ(low.roof_share, 0.128 / (100 * 128.0 / 192));
  const ClassRow high = row_of("[[64, 64], [64, 64]]", make_device());
  EXPECT_GT(high.flops_per_byte * 100, 1000);
  EXPECT_DOUBLE_EQ(high.roof_share, 2.0 * 64 * 64 * 64 / 1000 / 1000);
  EXPECT_EQ(row_of("[[64, 64], [64, 64]]", cost::Device()).roof_share, 0) << "nothing known of the device";
}

TEST(ClassTable, EmptyProfileHasNoRows) {
  const Scene scene({}, {});
  EXPECT_TRUE(tabulate_classes(scene.profile, scene.timeline, scene.work(), make_device()).empty());
}

}  // namespace
}  // namespace foretell::whatif
