// SPDX-License-Identifier: Apache-2.0
#include "analyzer/timeline/host_syncs.hpp"

#include <gtest/gtest.h>

#include "analyzer/timeline/test_profile.hpp"
#include "analyzer/timeline/test_steps.hpp"

namespace foretell::timeline {
namespace {

using profile::ActivityKind;
using profile::ApiKind;
using profile::kNoRow;

HostSyncs syncs_of(const profile::Profile& profile, const Steps& steps) {
  const Links links = link(profile);
  return compute_host_syncs(profile, links, audit_durations(profile, links), steps);
}

TestProfile& sync(TestProfile& rows, std::int64_t start, std::int64_t duration,
                  std::string_view name = "cudaStreamSynchronize") {
  return rows.call(start, duration, -1, ApiKind::Synchronize, -1, name);
}
TestProfile& copy(TestProfile& rows, std::int64_t call, std::int64_t call_ns, std::int64_t id,
                  std::int64_t start, std::int64_t duration,
                  std::string_view name = "Memcpy DtoH (Device -> Pageable)") {
  rows.call(call, call_ns, id, ApiKind::Memcpy, -1, "cudaMemcpyAsync");
  return rows.kernel(start, duration, id, name, 7, ActivityKind::Memcpy);
}

TEST(HostSyncs, AWaitIsPartWorkAndPartLoss) {
  TestProfile rows;
  rows.step(0, 1000, "ProfilerStep#0").call(10, 5, 1).kernel(30, 50, 1, "softmax");
  sync(rows, 40, 60);  // the device works until 80
  rows.call(110, 5, 2).kernel(1200, 5, 2);
  const profile::Profile profile = rows.finish();
  const HostSyncs out = syncs_of(profile, even_steps(1, 1000));
  ASSERT_EQ(out.all.size(), 1U);
  EXPECT_EQ(out.all[0].wait_ns, 60);
  EXPECT_EQ(out.all[0].busy_ns, 40);
  EXPECT_EQ(out.all[0].idle_ns, 20);
  EXPECT_FALSE(out.all[0].host_read);
  EXPECT_EQ(profile.text(profile.activities.name[out.all[0].last_kernel]), "softmax");
  EXPECT_EQ(out.closing_call, kNoRow);
}

struct CopyCase {
  const char* name;
  const char* copy;
  std::int64_t call_ns;  // from 100; the copy runs from 120 to 140
  std::int64_t bytes;
  bool synced;  // a synchronisation from 200 to 230
  std::size_t waits;
  std::size_t reads;
  std::int64_t wait_ns;
};

class CopyTest : public testing::TestWithParam<CopyCase> {};

TEST_P(CopyTest, CopiesToTheHost) {
  const CopyCase& param = GetParam();
  TestProfile rows;
  rows.call(10, 5, 1).kernel(30, 50, 1);
  copy(rows, 100, param.call_ns, 2, 120, 20, param.copy);
  if (param.synced) {
    rows.call(190, 1, -1, ApiKind::Other, -1, "cudaStreamIsCapturing");
    sync(rows, 200, 30);
  }
  rows.call(300, 5, 3).kernel(310, 5, 3);
  profile::Profile profile = rows.finish();
  for (std::uint32_t row = 0; row < profile.activities.size(); ++row) {
    profile.activities.bytes[row] = param.bytes;
  }
  const HostSyncs out = syncs_of(profile, even_steps(1, 1000));
  EXPECT_EQ(out.all.size(), param.waits);
  EXPECT_EQ(out.host_reads.total, static_cast<std::int64_t>(param.reads));
  EXPECT_EQ(out.wait_ns.total, param.wait_ns);
  EXPECT_EQ(out.busy_ns.total + out.idle_ns.total, out.wait_ns.total);
}

constexpr const char* kToHost = "Memcpy DtoH (Device -> Pageable)";
INSTANTIATE_TEST_SUITE_P(
    HostSyncs, CopyTest,
    testing::Values(CopyCase{"BlockingIsOneWaitWithItsSync", kToHost, 60, 4, true, 1, 1, 90},
                    CopyCase{"BlockingAlone", kToHost, 60, 4, false, 1, 1, 60},
                    CopyCase{"AsynchronousThenSync", kToHost, 5, 4, true, 1, 1, 30},
                    CopyCase{"AsynchronousAlone", kToHost, 5, 4, false, 0, 0, 0},
                    CopyCase{"LargeIsNoRead", kToHost, 60, 1 << 20, true, 1, 0, 90},
                    CopyCase{"UnknownSizeIsARead", "Memcpy DtoH (Device -> Host)", 60, -1, false, 1, 1, 60},
                    CopyCase{"ToTheDevice", "Memcpy HtoD (Pageable -> Device)", 60, 4, false, 0, 0, 0},
                    CopyCase{"ToTheDeviceThenSync", "Memcpy HtoD (Pageable -> Device)", 60, 4, true, 1, 0,
                             30}),
    [](const auto& row) { return row.param.name; });

TEST(HostSyncs, TheClosingSynchronisationIsNotOne) {
  TestProfile rows;
  rows.call(10, 5, 1).kernel(30, 50, 1);
  sync(rows, 40, 60, "cudaDeviceSynchronize");  // the user's
  sync(rows, 200, 500, "cudaDeviceSynchronize");
  sync(rows, 210, 480, "cuCtxSynchronize");  // inside
  const HostSyncs out = syncs_of(rows.finish(), even_steps(1, 1000));
  ASSERT_EQ(out.all.size(), 1U);
  EXPECT_EQ(out.all[0].wait_ns, 60);
  EXPECT_EQ(out.closing_sync_ns, 500);

  TestProfile without;
  without.call(10, 5, 1).kernel(30, 50, 1);
  sync(without, 40, 60, "cudaDeviceSynchronize");
  without.call(110, 5, 2).kernel(120, 5, 2);
  EXPECT_EQ(syncs_of(without.finish(), even_steps(1, 1000)).closing_call, kNoRow);
}

TEST(HostSyncs, OnlySteadyStepsCountAndGroupsGoByPlace) {
  TestProfile rows;
  for (int i = 0; i < 4; ++i) {
    const std::int64_t at = i * 1000;
    rows.step(at, 1000, "ProfilerStep#" + std::to_string(i));
    rows.range(at + 5, 400, "loss")
        .op(at + 10, 300, "aten::item")
        .op(at + 15, 200, "aten::_local_scalar_dense");
    rows.call(at + 6, 2, 10 + i).kernel(at + 8, 100, 10 + i);
    copy(rows, at + 20, 100 + i, 20 + i, at + 108, 2);
    sync(rows, at + 130, 5);
    sync(rows, at + 600, 50, "cudaEventSynchronize");
  }
  rows.call(3900, 1, 99).kernel(3950, 1, 99);
  const profile::Profile profile = rows.finish();
  const HostSyncs out = syncs_of(profile, even_steps(4, 1000, 1));
  EXPECT_EQ(out.count, (StepSum{.per_step = 2, .steady = 6, .total = 6}));
  EXPECT_EQ(out.host_reads.per_step, 1);
  ASSERT_EQ(out.groups.size(), 2U);
  EXPECT_EQ(profile.text(out.groups[0].call_name), "cudaEventSynchronize") << "the device was idle";
  EXPECT_EQ(out.groups[0].idle_ns.steady, 150);
  EXPECT_EQ(out.groups[0].where, "");
  EXPECT_EQ(profile.text(out.groups[1].op_name), "aten::_local_scalar_dense");
  EXPECT_EQ(out.groups[1].where, "loss");
  EXPECT_TRUE(out.groups[1].host_read);
  EXPECT_EQ(out.groups[1].count.per_step, 1);
  EXPECT_EQ(out.groups[1].wait_ns.per_step, 107);
  EXPECT_EQ(out.all[out.groups[1].example].step, 3U) << "the longest";
  for (const HostSync& wait : out.all) {
    EXPECT_EQ(wait.group, wait.host_read ? 1U : 0U);
  }
}

TEST(HostSyncs, TheRangeOfTheStepIsNoPlace) {
  TestProfile rows;
  for (int i = 0; i < 3; ++i) {
    rows.range(i * 1000, 1000, "ProfilerStep#" + std::to_string(i)).call(i * 1000 + 1, 2, 1 + i);
    sync(rows, i * 1000 + 10, 5);
  }
  rows.call(2990, 1, 9);
  Steps steps = even_steps(3, 1000);
  EXPECT_EQ(syncs_of(rows.finish(), steps).groups.size(), 1U);
}

TEST(HostSyncs, BrokenRows) {
  TestProfile rows;
  rows.call(10, -5, 1).kernel(5, -50, 1);
  sync(rows, 40, -60);
  copy(rows, 50, -1, 1, 5, -3);
  const HostSyncs out = syncs_of(rows.finish(), even_steps(1, 1000));
  EXPECT_EQ(out.wait_ns.total, 0);
  EXPECT_TRUE(syncs_of(TestProfile().finish(), Steps{}).all.empty());
}

}  // namespace
}  // namespace foretell::timeline
