// SPDX-License-Identifier: Apache-2.0
#include "src/bridge/probe_session.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include <fstream>

#include "fusion-engine/probe/probe_file.hpp"

namespace foretell::bridge {
namespace {

// A kept file stands in for two seconds of probing, so these tests tell a file that was used from one that
// was not by its one constant.
class KeptConstants : public testing::Test {
 protected:
  KeptConstants()
      : file_(std::filesystem::path(testing::TempDir()) / ("foretell_kept_" + std::to_string(::getpid()))) {
    auto opened = runtime::cpu::open_cpu_device();
    EXPECT_TRUE(opened);
    device_.emplace(std::move(*opened));
    kept_.machine = probe::read_machine(*device_, false);
    kept_.probed_at_s = kNow - 100;
    kept_.constants = {{{"kept_ns", "ns", 1, 2, 3, Provenance::Probed, "a test"}, 5}};
  }
  void TearDown() override { std::filesystem::remove(file_); }

  ProbeSession open(bool refresh = false) {
    auto session = open_probe_session(
        *device_, {.file = file_, .refresh = refresh, .sync = false, .now_s = kNow, .on_probe = {}});
    EXPECT_TRUE(session) << session.error().message;
    return std::move(*session);
  }

  static constexpr std::int64_t kNow = 1'700'000'000;
  const std::filesystem::path file_;
  std::optional<runtime::cpu::CpuDevice> device_;
  probe::ProbeResult kept_;
};

TEST_F(KeptConstants, OfThisMachineAreUsed) {
  ASSERT_TRUE(probe::save_probe(kept_, file_));
  const ProbeSession session = open();

  EXPECT_TRUE(session.from_file);
  EXPECT_EQ(session.result, kept_);
  EXPECT_EQ(session.note, "");
  EXPECT_EQ(probe_model(session, *device_).constants.size(), 1U);
}

TEST_F(KeptConstants, OfAnotherMachineAreReplaced) {
  kept_.machine.cpu_model = "another";
  ASSERT_TRUE(probe::save_probe(kept_, file_));
  const ProbeSession session = open();

  EXPECT_FALSE(session.from_file);
  EXPECT_THAT(session.note, testing::HasSubstr("another machine's"));
  EXPECT_FALSE(probe::find_constant(session.result, "kept_ns"));
  EXPECT_EQ(*probe::read_probe(file_), session.result);
}

TEST_F(KeptConstants, ThatCantBeReadAreReplaced) {
  std::ofstream(file_) << "{\"schema_version\": 1";
  const ProbeSession session = open();

  EXPECT_FALSE(session.from_file);
  EXPECT_THAT(session.note, testing::HasSubstr("could not be read"));
  EXPECT_TRUE(probe::read_probe(file_));
}

TEST_F(KeptConstants, AreReplacedWhereThatIsAskedFor) {
  ASSERT_TRUE(probe::save_probe(kept_, file_));

  EXPECT_FALSE(open(true).from_file);
}

}  // namespace
}  // namespace foretell::bridge
