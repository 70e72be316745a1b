// SPDX-License-Identifier: Apache-2.0
#include "src/bridge/engine_run.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "fusion-engine/probe/probe_file.hpp"

namespace foretell::bridge {
namespace {

using testing::HasSubstr;

// Runs with constants that are kept, so that nothing is probed, in a directory of its own.
class RunWorkload : public testing::Test {
 protected:
  RunWorkload()
      : directory_(std::filesystem::path(testing::TempDir()) /
                   ("foretell_run_" + std::to_string(::getpid()))) {
    keep_constants(1 << 30);
  }
  void TearDown() override {
    ::unsetenv("CXX");
    std::filesystem::remove_all(directory_);
  }

  void keep_constants(double streaming_bytes) const {
    auto device = runtime::cpu::open_cpu_device();
    ASSERT_TRUE(device);
    const probe::Machine machine = probe::read_machine(*device);
    const probe::ProbeResult kept{
        .machine = machine,
        .probed_at_s = kNow,
        .constants = {{{"dispatch_ns", "ns", 300, 310, 330, Provenance::Probed, "a test"}, 5},
                      {{"streaming_bytes", "bytes", streaming_bytes, streaming_bytes, streaming_bytes,
                        Provenance::Probed, "a test"},
                       5}}};
    ASSERT_TRUE(probe::save_probe(kept, directory_ / probe::probe_file_name(machine)));
  }
  RunOptions options(std::vector<std::string> variants) const {
    RunOptions made;
    made.variants = std::move(variants);
    made.cache.directory = directory_ / "kernels";
    made.probe.directory = directory_;
    made.probe.now_s = kNow;
    made.budget_ns = 1'000'000;
    made.drift = false;
    return made;
  }
  static workloads::Workload chain(const std::string& size) {
    auto loaded = workloads::load_workload("chain", std::vector<workloads::GivenParameter>{{"size", size}});
    EXPECT_TRUE(loaded);
    return std::move(*loaded);
  }

  static constexpr std::int64_t kNow = 1'700'000'000;
  const std::filesystem::path directory_;
};

TEST_F(RunWorkload, AVariantThatCantBeRunLeavesTheOthers) {
  ::setenv("CXX", "/nowhere/c++", 1);
  const auto report = run_workload(chain("4K"), options({"eager", "fused"}));

  ASSERT_TRUE(report) << report.error().message;
  ASSERT_EQ(report->variants.size(), 2U);
  EXPECT_EQ(report->variants[0].error, "");
  EXPECT_EQ(report->variants[0].counters.dispatches, 3);
  EXPECT_THAT(report->variants[1].error, HasSubstr("no C++ compiler found"));
  EXPECT_FALSE(report->variants[1].measured);
}

TEST_F(RunWorkload, IsTheErrorOfTheFirstWhereNoneIsLeft) {
  ::setenv("CXX", "/nowhere/c++", 1);
  const auto report = run_workload(chain("4K"), options({"fused"}));

  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, ErrorCode::Environment);
}

TEST_F(RunWorkload, ThePlanIsThatOfFusionWhicheverVariantsAreAskedFor) {
  RunOptions plan = options({"eager"});
  plan.plan_only = true;
  const auto report = run_workload(chain("4K"), plan);

  ASSERT_TRUE(report);
  ASSERT_EQ(report->groups.size(), 1U);
  EXPECT_EQ(report->groups.front().ops.size(), 3U);
  EXPECT_THAT(report->sentences, testing::Each(testing::Not("")));
}

TEST_F(RunWorkload, APlanTakesNoMemory) {
  RunOptions plan = options({"eager", "fused"});
  const auto run = run_workload(chain("1T"), plan);
  ASSERT_FALSE(run);
  EXPECT_THAT(run.error().message, HasSubstr("of memory for this workload"));

  plan.plan_only = true;
  EXPECT_TRUE(run_workload(chain("1T"), plan));
}

// Generated source depends on it, and so does the cache's key.
TEST_F(RunWorkload, KernelsAreGeneratedForTheProbedStreamingThreshold) {
  const auto from_cache = [&] {
    const auto report = run_workload(chain("64K"), options({"fused"}));
    EXPECT_TRUE(report) << report.error().message;
    return report->variants.front().compile->from_cache;
  };
  EXPECT_FALSE(from_cache());
  EXPECT_TRUE(from_cache());
  keep_constants(4096);
  EXPECT_FALSE(from_cache());
}

}  // namespace
}  // namespace foretell::bridge
