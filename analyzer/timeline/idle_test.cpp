// SPDX-License-Identifier: Apache-2.0
#include "analyzer/timeline/idle.hpp"

#include <gmock/gmock.h>

#include <functional>
#include <string>
#include <vector>

#include "analyzer/timeline/test_profile.hpp"

namespace foretell::timeline {
namespace {

using profile::ActivityKind;
using profile::ApiKind;
using profile::HostOpKind;

constexpr std::int64_t kUs = 1'000;
constexpr std::int64_t kMs = 1'000'000;

IdleTimes idle_of(const profile::Profile& profile, std::int64_t step_ns = 0) {
  const Links links = link(profile);
  IdleTimes sums{};
  for (const DeviceTiles& device : attribute_time(profile, links, audit_durations(profile, links),
                                                  classify_activities(profile), step_ns)) {
    for (const Tile& tile : device.tiles) {
      if (tile.idle) {
        of(sums, tile.idle_class) += tile.end_ns - tile.begin_ns;
      }
    }
  }
  return sums;
}

// Two kernels, the second launched late; what the host does in between decides. The device is idle from 100
// us to `resume + 10 us`.
TestProfile two_kernels(std::int64_t resume_ns) {
  TestProfile profile;
  profile.call(0, 5 * kUs, 1)
      .kernel(10 * kUs, 90 * kUs, 1)
      .call(resume_ns, 5 * kUs, 2)
      .kernel(resume_ns + 10 * kUs, 50 * kUs, 2);
  return profile;
}

struct GapCase {
  std::string name;
  std::int64_t resume_ns;
  std::function<void(TestProfile&)> meanwhile;
  IdleClass want;
  std::int64_t want_ns;  // behind the first 10 us, which are the latency of the first launch
};

class GapTest : public testing::TestWithParam<GapCase> {};

TEST_P(GapTest, IsAttributed) {
  const GapCase& row = GetParam();
  TestProfile profile = two_kernels(row.resume_ns);
  row.meanwhile(profile);

  IdleTimes idle = idle_of(profile.finish());

  EXPECT_EQ(of(idle, row.want), row.want_ns);
}

INSTANTIATE_TEST_SUITE_P(
    All, GapTest,
    testing::Values(
        GapCase{"IssuingOps", 300 * kUs, [](TestProfile& p) { p.op(90 * kUs, 205 * kUs, "aten::mul"); },
                IdleClass::Launch, 210 * kUs + 10 * kUs},
        GapCase{"UsersOwnPythonIsNoDispatch", 1'900 * kUs,
                [](TestProfile& p) {
                  p.op(90 * kUs, 1'800 * kUs, "train.py(7): preprocess", -1, HostOpKind::PythonFunction);
                },
                IdleClass::Host, 1'800 * kUs + 10 * kUs},
        GapCase{"NothingRecordedForAShortWhile", 300 * kUs, [](TestProfile&) {}, IdleClass::Launch,
                210 * kUs + 10 * kUs},
        GapCase{"LongWithoutALaunch", 50 * kMs,
                [](TestProfile& p) { p.op(90 * kUs, 49 * kMs, "aten::sort"); }, IdleClass::Host,
                50 * kMs - 90 * kUs},
        GapCase{"LongSilence", 50 * kMs, [](TestProfile&) {}, IdleClass::UnknownWait, 50 * kMs - 100 * kUs},
        GapCase{"DataLoader", 2 * kMs,
                [](TestProfile& p) {
                  p.range(100 * kUs, 1'900 * kUs,
                          "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__");
                },
                IdleClass::Input, 1'900 * kUs},
        GapCase{"Compilation", 9 * kMs, [](TestProfile& p) { p.compilation(100 * kUs, 8'900 * kUs); },
                IdleClass::Compile, 8'900 * kUs},
        // It waited 50 us for the kernel and 10 us more: without it the host would have been 60 us ahead, not
        // more.
        GapCase{"SyncThatDrainedTheQueue", 300 * kUs,
                [](TestProfile& p) {
                  p.call(50 * kUs, 60 * kUs, 9, ApiKind::Synchronize, -1, "cudaStreamSynchronize");
                },
                IdleClass::Sync, 60 * kUs},
        GapCase{"TheRestBehindAShortSyncIsIssuing", 300 * kUs,
                [](TestProfile& p) {
                  p.call(50 * kUs, 60 * kUs, 9, ApiKind::Synchronize, -1, "cudaStreamSynchronize");
                },
                IdleClass::Launch, 150 * kUs + 10 * kUs},
        GapCase{"LongHostWorkBehindASyncIsNotTheSyncs", 9 * kMs,
                [](TestProfile& p) {
                  p.call(20 * kUs, 90 * kUs, 9, ApiKind::Synchronize, -1, "cudaStreamSynchronize");
                  p.op(110 * kUs, 8'800 * kUs, "aten::multinomial");
                },
                IdleClass::Sync, 90 * kUs},
        GapCase{"SyncOfAnEmptyQueueIsOnlyItself", 300 * kUs,
                [](TestProfile& p) {
                  p.call(200 * kUs, 20 * kUs, 9, ApiKind::Synchronize, -1, "cudaStreamSynchronize");
                },
                IdleClass::Sync, 20 * kUs},
        GapCase{"DriverAllocation", 300 * kUs,
                [](TestProfile& p) { p.call(120 * kUs, 150 * kUs, 9, ApiKind::Allocate, -1, "cudaMalloc"); },
                IdleClass::Allocation, 150 * kUs},
        GapCase{
            "CopyCall", 300 * kUs,
            [](TestProfile& p) { p.call(120 * kUs, 150 * kUs, 9, ApiKind::Memcpy, -1, "cudaMemcpyAsync"); },
            IdleClass::Copy, 150 * kUs},
        GapCase{"GarbageCollection", 9 * kMs,
                [](TestProfile& p) {
                  p.op(100 * kUs, 8 * kMs, "<built-in function collect>", -1, HostOpKind::PythonFunction);
                },
                IdleClass::GarbageCollection, 8 * kMs},
        GapCase{"Lock", 9 * kMs,
                [](TestProfile& p) {
                  p.op(100 * kUs, 8 * kMs, "<built-in method acquire of _thread.lock object at 0x1>", -1,
                       HostOpKind::PythonFunction);
                },
                IdleClass::Lock, 8 * kMs}),
    [](const auto& row) { return row.param.name; });

TEST(Idle, QueuedWorkThatFollowsAtOnceIsAQueueGap) {
  TestProfile profile;
  profile.call(0, 5 * kUs, 1)
      .call(6 * kUs, 5 * kUs, 2)
      .kernel(10 * kUs, 90 * kUs, 1)
      .kernel(101 * kUs, 9 * kUs, 2);

  IdleTimes idle = idle_of(profile.finish());

  EXPECT_EQ(of(idle, IdleClass::Queue), 1 * kUs);
}

TEST(Idle, QueuedWorkThatDoesNotStartIsAnUnknownWaitUnlessAStreamWaitIsRecorded) {
  for (const bool recorded : {false, true}) {
    TestProfile profile;
    profile.call(0, 5 * kUs, 1).call(6 * kUs, 5 * kUs, 2).kernel(10 * kUs, 90 * kUs, 1);
    profile.kernel(600 * kUs, 9 * kUs, 2, "gemm", 8);
    if (recorded) {
      profile.kernel(120 * kUs, 470 * kUs, 0, "Stream Wait Event", 8, ActivityKind::Sync);
    }

    IdleTimes idle = idle_of(profile.finish());

    EXPECT_EQ(of(idle, recorded ? IdleClass::OtherStream : IdleClass::UnknownWait), 500 * kUs);
  }
}

TEST(Idle, GapsInsideOneReplayAreNeverTheHosts) {
  TestProfile profile;
  profile.call(0, 20 * kUs, 1, ApiKind::GraphLaunch, -1, "cudaGraphLaunch");
  profile.kernel(30 * kUs, 10 * kUs, 1).kernel(42 * kUs, 10 * kUs, 1).kernel(252 * kUs, 10 * kUs, 1);

  IdleTimes idle = idle_of(profile.finish());

  EXPECT_EQ(of(idle, IdleClass::Queue), 2 * kUs);
  EXPECT_EQ(of(idle, IdleClass::UnknownWait), 200 * kUs);
}

TEST(Idle, TimeBeforeAReplayIsHostWorkSinceGraphsCantRemoveIt) {
  TestProfile profile;
  profile.call(0, 20 * kUs, 1, ApiKind::GraphLaunch, -1, "cudaGraphLaunch").kernel(20 * kUs, 10 * kUs, 1);
  profile.call(100 * kUs, 20 * kUs, 2, ApiKind::GraphLaunch, -1, "cudaGraphLaunch")
      .kernel(120 * kUs, 10 * kUs, 2);

  IdleTimes idle = idle_of(profile.finish());

  EXPECT_EQ(of(idle, IdleClass::Host), 20 * kUs + 90 * kUs);
  EXPECT_EQ(of(idle, IdleClass::Launch), 0);
}

TEST(Idle, ClosingSynchronisationIsTheProfilers) {
  TestProfile profile;
  profile.call(0, 5 * kUs, 1).kernel(5 * kUs, 10 * kUs, 1);
  profile.call(10 * kUs, 2 * kMs, 2, ApiKind::Synchronize, -1, "cudaDeviceSynchronize");

  IdleTimes idle = idle_of(profile.finish());

  EXPECT_EQ(of(idle, IdleClass::Profiler), 2 * kMs - 5 * kUs);
  EXPECT_EQ(of(idle, IdleClass::Sync), 0);
}

TEST(Idle, HostHeldByACopyOfWorkThatIsNotRecordedIsACopy) {
  TestProfile profile;
  profile.call(0, 5 * kUs, 1).kernel(10 * kUs, 10 * kUs, 1).call(21 * kUs, 5 * kUs, 2);
  profile.call(30 * kUs, 400 * kMs, 3, ApiKind::Memcpy, -1, "hipMemcpyWithStream");
  profile.kernel(401 * kMs, 10 * kUs, 2);

  IdleTimes idle = idle_of(profile.finish());

  EXPECT_GT(of(idle, IdleClass::Copy), 400 * kMs);
}

TEST(Idle, WithoutHostRecordsNothingIsClaimed) {
  TestProfile profile;
  profile.kernel(0, 10 * kUs, 1).kernel(900 * kUs, 10 * kUs, 2);

  IdleTimes idle = idle_of(profile.finish());

  EXPECT_EQ(of(idle, IdleClass::Unattributed), 890 * kUs);
}

TEST(Idle, TilesCoverTheTraceWithoutOverlap) {
  TestProfile profile = two_kernels(3 * kMs);
  profile.op(90 * kUs, 2 * kMs, "aten::mul")
      .call(2'500 * kUs, 100 * kUs, 9, ApiKind::Allocate, -1, "cudaMalloc");
  profile.kernel(50 * kUs, 100 * kUs, 0, "ncclDevKernel_AllReduce", 20);
  const profile::Profile finished = profile.finish();
  const Links links = link(finished);

  const auto devices =
      attribute_time(finished, links, audit_durations(finished, links), classify_activities(finished), 0);

  ASSERT_EQ(devices.size(), 1U);
  std::int64_t at = *finished.info.first_ns;
  for (const Tile& tile : devices[0].tiles) {
    EXPECT_EQ(tile.begin_ns, at);
    EXPECT_GT(tile.end_ns, tile.begin_ns);
    at = tile.end_ns;
  }
  EXPECT_EQ(at, *finished.info.last_ns);
  // the collective runs beside the kernel until 100 us and alone until 150 us
  const auto exposed = std::ranges::find_if(devices[0].tiles, [](const Tile& tile) {
    return !tile.idle && tile.busy_class == BusyClass::Communication;
  });
  ASSERT_NE(exposed, devices[0].tiles.end());
  EXPECT_EQ(exposed->begin_ns, 100 * kUs);
  EXPECT_EQ(exposed->end_ns, 150 * kUs);
}

}  // namespace
}  // namespace foretell::timeline
