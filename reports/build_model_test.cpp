// SPDX-License-Identifier: Apache-2.0
#include "reports/build_model.hpp"

#include <gmock/gmock.h>

#include <string>

#include "analyzer/profile/profile_builder.hpp"

namespace foretell::reports {
namespace {

using profile::ProfileBuilder;
using testing::HasSubstr;

TraceReport report_of(ProfileBuilder& builder, const timeline::TimelineOptions& options = {}) {
  const profile::Profile profile = builder.finish();
  return build_trace_report(profile, timeline::compute_timeline(profile, options),
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

  EXPECT_EQ(report.sentences[0], "0 CPU ops and no device activity over 0 ns.");
  EXPECT_EQ(report.sentences[2], "It holds no timed event, so there is no step to look at.");
  EXPECT_TRUE(report.constants.empty());
  EXPECT_EQ(report.binds, "unknown");
  EXPECT_TRUE(report.refused()) << "there is nothing to read";
}

TEST(BuildModel, SaysHowBusyTheDeviceIs) {
  ProfileBuilder builder;
  add_kernel(builder, 0, 1'000, 3'000);
  builder.cover(0, 4'000);

  EXPECT_THAT(report_of(builder).sentences[0],
              HasSubstr("1 kernel by 0 launches over 4.00 us; the device is busy 75.0 % of the time."));
}

TEST(BuildModel, SeveralDevicesAreAveraged) {
  ProfileBuilder builder;
  add_kernel(builder, 1, 0, 4'000);
  add_kernel(builder, 0, 0, 2'000);

  const TraceReport report = report_of(builder);

  EXPECT_THAT(report.sentences[0], HasSubstr("2 devices are, on average, busy 75.0 % of the time."));
  ASSERT_EQ(report.devices.size(), 2U);
  EXPECT_EQ(report.devices[0].id, 0);
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

  EXPECT_EQ(report_of(builder, {.wall_ns = 35'000}).wall_ns, 35'000);
}

}  // namespace
}  // namespace foretell::reports
