// SPDX-License-Identifier: Apache-2.0
#include "reports/build_model.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <string>
#include <utility>

#include "analyzer/profile/profile_builder.hpp"

namespace foretell::reports {
namespace {

using profile::ProfileBuilder;
using testing::HasSubstr;

TraceReport report_of(ProfileBuilder& builder, const ReportOptions& options = {}) {
  const profile::Profile profile = builder.finish();
  return build_trace_report(profile, timeline::compute_timeline(profile, options.timeline),
                            cost::builtin_device_table(), options);
}

void add_kernel(ProfileBuilder& builder, std::int64_t device, std::int64_t start_ns,
                std::int64_t duration_ns) {
  const std::uint32_t stream = builder.stream(device, 7);
  profile::Profile& profile = builder.profile();
  profile::DeviceActivities& rows = profile.activities;
  rows.append({.start_ns = start_ns,
               .duration_ns = duration_ns,
               .name = profile.strings.intern("gemm"),
               .stream = stream,
               .kind = profile::ActivityKind::Kernel});
  builder.cover(start_ns, start_ns + duration_ns);
}

TEST(BuildModel, EmptyTraceHasNoStepAndNoConstants) {
  ProfileBuilder builder;

  const TraceReport report = report_of(builder);

  EXPECT_THAT(report.sentences[0], HasSubstr("What binds can't be told"));
  EXPECT_THAT(report.sentences[2], HasSubstr("No timed event"));
  EXPECT_TRUE(report.constants.empty());
  EXPECT_EQ(report.binds, "unknown");
  EXPECT_TRUE(report.refused()) << "there is nothing to read";
}

TEST(BuildModel, SaysHowBusyTheDeviceIs) {
  ProfileBuilder builder;
  add_kernel(builder, 0, 1'000, 3'000);
  builder.cover(0, 4'000);

  const TraceReport report = report_of(builder);

  EXPECT_EQ(report.split.step_ns, 4'000);
  EXPECT_EQ(report.split.busy_ns, 3'000);
  EXPECT_FALSE(report.checks.empty());
}

TEST(BuildModel, SeveralDevicesAreAveraged) {
  ProfileBuilder builder;
  add_kernel(builder, 1, 0, 4'000);
  add_kernel(builder, 0, 0, 2'000);

  const TraceReport report = report_of(builder);

  EXPECT_EQ(report.split.step_ns, 4'000);
  EXPECT_EQ(report.split.busy_ns, 3'000);
  ASSERT_EQ(report.devices.size(), 2U);
  EXPECT_EQ(report.devices[0].id, 0);
}

TEST(BuildModel, GivenConstantsReplaceThoseOfTheDevice) {
  ProfileBuilder builder;
  add_kernel(builder, 0, 0, 2'000);
  const auto file = cost::parse_constants(
      R"({"constants": [{"name": "dram_achievable_gbps", "expected": 1000}, {"name": "launch_call_ns", "expected": 7}]})",
      "own.json");
  ASSERT_TRUE(file.has_value());

  const TraceReport report = report_of(builder, {.constants = *file});

  for (const auto& [name, expected] :
       {std::pair("dram_achievable_gbps", 1000.0), std::pair("launch_call_ns", 7.0)}) {
    const auto row = std::ranges::find(report.constants, name, &cost::Constant::name);
    ASSERT_NE(row, report.constants.end()) << name;
    EXPECT_EQ(row->expected, expected) << name;
  }
}

TEST(BuildModel, OpsAndModulesCarryTheBytesOfTheirKernels) {
  ProfileBuilder builder;
  profile::Profile& profile = builder.profile();
  const std::uint32_t thread = builder.thread({.number = 1}, {.number = 1});
  profile.host_ops.append({.start_ns = 0,
                           .duration_ns = 100,
                           .external_id = 5,
                           .name = profile.strings.intern("aten::copy_"),
                           .thread = thread});
  profile.api_calls.append({.start_ns = 10,
                            .duration_ns = 5,
                            .correlation = 7,
                            .external_id = 5,
                            .name = profile.strings.intern("cudaMemcpyAsync"),
                            .thread = thread,
                            .kind = profile::ApiKind::Memcpy});
  const std::uint32_t stream = builder.stream(0, 7);
  profile.activities.append({.start_ns = 20,
                             .duration_ns = 30,
                             .correlation = 7,
                             .bytes = 4'096,
                             .name = profile.strings.intern("Memcpy HtoD (Pinned -> Device)"),
                             .stream = stream,
                             .kind = profile::ActivityKind::Memcpy});
  builder.cover(0, 100);

  const TraceReport report = report_of(builder);

  ASSERT_EQ(report.ops.size(), 1U);
  EXPECT_EQ(report.ops[0].bytes, 4'096);
}

TEST(BuildModel, ConstantsAreThoseOfTheFirstActiveDevice) {
  ProfileBuilder builder;
  for (const auto& [id, name] :
       {std::pair(0, "Tesla V100-SXM2-16GB"), std::pair(1, "NVIDIA A100-SXM4-80GB")}) {
    profile::Device& device = builder.profile().devices[builder.device(id)];
    device.name = name;
    device.listed = true;
  }
  add_kernel(builder, 1, 0, 10);

  const TraceReport report = report_of(builder);

  EXPECT_FALSE(report.devices[0].active());
  ASSERT_FALSE(report.constants.empty());
  EXPECT_EQ(report.constants.front().name, "sm_count");
  EXPECT_EQ(report.constants.front().expected, 108);  // an A100's
}

TEST(BuildModel, CommunicatorsAreCountedByTheirText) {
  ProfileBuilder builder;
  profile::Profile& profile = builder.profile();
  for (const char* id : {"18446744073709551617", "", "7", "18446744073709551617"}) {
    profile.communications.communicator_id.push_back(profile.strings.intern(id));
  }

  const TraceReport report = report_of(builder);

  ASSERT_EQ(report.communicators.size(), 2U);
  EXPECT_EQ(report.communicators[0].id, "18446744073709551617");
  EXPECT_EQ(report.communicators[0].records, 2U);
  EXPECT_EQ(report.communicators[1].records, 1U);
}

TEST(BuildModel, GivenWallTimeIsKept) {
  ProfileBuilder builder;
  builder.cover(0, 10);

  EXPECT_EQ(report_of(builder, {.timeline = {.wall_ns = 35'000}}).wall_ns, 35'000);
}

}  // namespace
}  // namespace foretell::reports
