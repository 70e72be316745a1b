// SPDX-License-Identifier: Apache-2.0
#include "src/bridge/probe_session.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include <fstream>

#include "fusion-engine/probe/probe_file.hpp"
#include "fusion-engine/runtime/clock.hpp"
#include "fusion-engine/runtime/machine_state.hpp"

namespace foretell::bridge {
namespace {

// Left alone, or interrupted in every stretch of samples. Its clock runs ahead, so that the time set for
// sampling is soon over.
class FakeMachine final : public runtime::MachineState {
 public:
  explicit FakeMachine(bool busy) : busy_(busy) {}
  std::int64_t now_ns() override { return 100 * runtime::now_ns(); }
  std::int64_t blocked_ns() override { return 0; }
  runtime::Disturbance disturbance_before() override { return {}; }
  runtime::Disturbance disturbance_after() override { return {busy_ ? 1 : 0, 0}; }
  void wait(std::int64_t) override {}

 private:
  bool busy_;
};

// A kept file stands in for two seconds of probing, so these tests tell a file that was used from one that
// was not by its one constant.
class KeptConstants : public testing::Test {
 protected:
  KeptConstants()
      : directory_(std::filesystem::path(testing::TempDir()) /
                   ("foretell_kept_" + std::to_string(::getpid()))) {
    auto opened = runtime::cpu::open_cpu_device();
    EXPECT_TRUE(opened);
    device_.emplace(std::move(*opened));
    kept_.machine = probe::read_machine(*device_);
    kept_.probed_at_s = kNow - 100;
    kept_.constants = {{{"kept_ns", "ns", 1, 2, 3, Provenance::Probed, "a test"}, 5}};
    std::filesystem::create_directories(directory_);
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  std::filesystem::path file() const {
    return directory_ / probe::probe_file_name(probe::read_machine(*device_));
  }
  ProbeOptions options(bool refresh, FakeMachine& machine) const {
    return {.directory = directory_, .refresh = refresh, .now_s = kNow, .on_probe = {}, .state = &machine};
  }
  ProbeSession open(bool refresh = false, bool busy = false) {
    FakeMachine machine(busy);
    auto session = open_probe_session(*device_, options(refresh, machine));
    EXPECT_TRUE(session) << session.error().message;
    return std::move(*session);
  }

  static constexpr std::int64_t kNow = 1'700'000'000;
  const std::filesystem::path directory_;
  std::optional<runtime::cpu::CpuDevice> device_;
  probe::ProbeResult kept_;
};

TEST_F(KeptConstants, OfThisMachineAreUsed) {
  ASSERT_TRUE(probe::save_probe(kept_, file()));
  const ProbeSession session = open();

  EXPECT_TRUE(session.from_file);
  EXPECT_EQ(session.result, kept_);
  EXPECT_EQ(session.note, "");
  EXPECT_EQ(probe_model(session, *device_).constants.size(), 1U);
}

TEST_F(KeptConstants, OfAnotherMachineAreReplaced) {
  kept_.machine.cpu_model = "another";
  ASSERT_TRUE(probe::save_probe(kept_, file()));
  const ProbeSession session = open();

  EXPECT_FALSE(session.from_file);
  EXPECT_THAT(session.note, testing::HasSubstr("another machine's"));
  EXPECT_FALSE(probe::find_constant(session.result, "kept_ns"));
  EXPECT_EQ(*probe::read_probe(file()), session.result);
}

TEST_F(KeptConstants, ThatCantBeReadAreReplaced) {
  std::ofstream(file()) << "{\"schema_version\": 1";
  const ProbeSession session = open();

  EXPECT_FALSE(session.from_file);
  EXPECT_THAT(session.note, testing::HasSubstr("could not be read"));
  EXPECT_TRUE(probe::read_probe(file()));
}

TEST_F(KeptConstants, AreReplacedWhereThatIsAskedFor) {
  ASSERT_TRUE(probe::save_probe(kept_, file()));

  EXPECT_FALSE(open(true).from_file);
}

TEST_F(KeptConstants, OfABusyMachineAreUsedButNotKept) {
  const ProbeSession session = open(false, true);

  EXPECT_THAT(session.note, testing::HasSubstr("the machine was busy"));
  EXPECT_EQ(session.kept_in, "");
  EXPECT_TRUE(probe::find_constant(session.result, "enqueue_ns"));
  EXPECT_TRUE(std::filesystem::is_empty(directory_));
}

TEST_F(KeptConstants, ThatCantBeWrittenAreUsedAllTheSame) {
  std::filesystem::remove_all(directory_);
  std::ofstream(directory_) << "in the way";
  const ProbeSession session = open();

  EXPECT_EQ(session.note, file().string() + ": can't be written, the constants are not kept");
  EXPECT_EQ(session.kept_in, "");
  EXPECT_TRUE(probe::find_constant(session.result, "enqueue_ns"));
}

TEST_F(KeptConstants, AreReadWithoutProbingToo) {
  FakeMachine machine(false);
  EXPECT_FALSE(read_kept_constants(*device_, options(false, machine)));
  ASSERT_TRUE(probe::save_probe(kept_, file()));
  EXPECT_EQ(read_kept_constants(*device_, options(false, machine)), kept_);
}

TEST_F(KeptConstants, SetFromWhichSizeOnResultsAreStreamed) {
  const std::int64_t described = device_->caches.last_level_bytes;
  apply_constants(kept_, *device_);
  EXPECT_EQ(device_->streaming_bytes, described);

  kept_.constants.push_back(
      {{"streaming_bytes", "bytes", 1 << 22, 1 << 23, 1 << 23, Provenance::Probed, "a test"}, 5});
  apply_constants(kept_, *device_);
  EXPECT_EQ(device_->streaming_bytes, 1 << 23);
  EXPECT_TRUE(device_->streams(1 << 23));
  EXPECT_FALSE(device_->streams((1 << 23) - 1));
}

}  // namespace
}  // namespace foretell::bridge
