// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/probe/probe_file.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

namespace foretell::probe {
namespace {

using testing::HasSubstr;

ProbeResult sample() {
  Machine machine;
  machine.cpu_model = "Fast \"CPU\"";
  machine.cores = 4;
  machine.team = 3;
  machine.caches = {48 << 10, 2 << 20, 32 << 20};
  machine.instruction_set = "avx2";
  machine.kernel = "6.1.0";
  machine.version = "0.1.0";
  return {.machine = machine,
          .probed_at_s = 1'700'000'000,
          .duration_ns = 2'000'000'000,
          .taken = 200,
          .rejected = 3,
          .constants = {{{"enqueue_ns", "ns", 50, 60.5, 90, Provenance::Probed, "a launch"}, 200},
                        {{"l1_copy_bytes", "bytes", 24576, 24576, 24576, Provenance::Derived, "sizes"}, 0}}};
}

TEST(ProbeFile, ReadsWhatItWrote) {
  const auto read = parse_probe(to_json(sample()), "probe.json");

  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, sample());
}

TEST(ProbeFile, CutAnywhereItIsNoResult) {
  const std::string text = to_json(sample());
  for (std::size_t size = 0; size + 2 < text.size(); ++size) {  // without the newline it is whole
    ASSERT_FALSE(parse_probe(text.substr(0, size), "probe.json")) << size;
  }
}

struct Spoiled {
  std::string_view from, to, where, message;
};

TEST(ProbeFile, FaultsAreToldWithTheirPlace) {
  const Spoiled rows[] = {
      {"\"schema_version\": 2", "\"schema_version\": 1", "probe.json", "expected schema_version 2"},
      {"\"team\": 3", "\"team\": \"3\"", "probe.json: machine",
       "expected a whole number of at least 0 for 'team', found string \"3\""},
      {"\"team\": 3", "\"team\": -3", "probe.json: machine",
       "expected a whole number of at least 0 for 'team', found number -3"},
      {"\"kernel\"", "\"colonel\"", "probe.json: machine", "unknown key 'colonel'"},
      {"\"kernel\": \"6.1.0\"", "\"kernel\": null", "probe.json: machine",
       "expected text for 'kernel', found none"},
      {"\"taken\"", "\"token\"", "probe.json", "unknown key 'token' (did you mean 'taken'?)"},
      {"\"samples\": 200", "\"samples\": 200, \"surprise\": 1", "probe.json: constants[0]",
       "unknown key 'surprise'"},
      {"\"expected\": 60.5", "\"expected\": 40", "probe.json: constants[0]",
       "expected low <= expected <= high, found 50, 40, 90"},
      {"\"expected\": 60.5", "\"expected\": null", "probe.json: constants[0]",
       "expected a number of at least 0 for 'expected', found none"},
      {"\"probed\"", "\"guessed\"", "probe.json: constants[0]",
       "expected probed or derived for 'provenance', found 'guessed'"},
  };
  for (const Spoiled& row : rows) {
    SCOPED_TRACE(row.to);
    std::string text = to_json(sample());
    const std::size_t at = text.find(row.from);
    ASSERT_NE(at, std::string::npos);
    text.replace(at, row.from.size(), row.to);
    const auto read = parse_probe(text, "probe.json");
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().code, ErrorCode::BadInput);
    EXPECT_EQ(read.error().where, row.where);
    EXPECT_EQ(read.error().message, row.message);
  }
}

TEST(ProbeFile, EachFormOfTheDeviceHasItsOwn) {
  Machine machine = sample().machine;
  EXPECT_EQ(probe_file_name(machine), "probe-3.json");
  machine.team = 1;
  machine.sync = true;
  EXPECT_EQ(probe_file_name(machine), "probe-1-sync.json");
}

TEST(ProbeFile, HoldsForItsMachineAndAWeek) {
  const ProbeResult result = sample();
  EXPECT_EQ(freshness(result, result.machine, result.probed_at_s), Freshness::Fresh);
  EXPECT_EQ(freshness(result, result.machine, result.probed_at_s + kProbeLifeSeconds), Freshness::Fresh);
  EXPECT_EQ(freshness(result, result.machine, result.probed_at_s + kProbeLifeSeconds + 1), Freshness::Old);
  EXPECT_EQ(freshness(result, result.machine, result.probed_at_s - 1), Freshness::Old);

  const auto changed = [&](auto change) {
    Machine other = result.machine;
    change(other);
    return freshness(result, other, result.probed_at_s);
  };
  EXPECT_EQ(changed([](Machine& m) { m.cpu_model = "Other"; }), Freshness::OtherMachine);
  EXPECT_EQ(changed([](Machine& m) { m.cores = 8; }), Freshness::OtherMachine);
  EXPECT_EQ(changed([](Machine& m) { m.team = 1; }), Freshness::OtherMachine);
  EXPECT_EQ(changed([](Machine& m) { m.sync = true; }), Freshness::OtherMachine);
  EXPECT_EQ(changed([](Machine& m) { m.caches.last_level_bytes *= 2; }), Freshness::OtherMachine);
  EXPECT_EQ(changed([](Machine& m) { m.kernel = "6.2.0"; }), Freshness::OtherMachine);
  EXPECT_EQ(changed([](Machine& m) { m.version = "0.2.0"; }), Freshness::OtherMachine);
}

class ProbeDirectory : public testing::Test {
 protected:
  ProbeDirectory()
      : directory_(std::filesystem::path(testing::TempDir()) /
                   ("foretell_probe_" + std::to_string(::getpid()))) {}
  void TearDown() override { std::filesystem::remove_all(directory_); }
  const std::filesystem::path directory_;
};

TEST_F(ProbeDirectory, SavesWithItsDirectoriesAndLeavesNothingBeside) {
  const std::filesystem::path path = directory_ / "foretell" / "probe.json";
  ASSERT_TRUE(save_probe(sample(), path));
  ASSERT_TRUE(save_probe(sample(), path));

  const auto read = read_probe(path);
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, sample());
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(path.parent_path()), {}), 1);
}

TEST_F(ProbeDirectory, UnwritableIsAnError) {
  std::filesystem::create_directories(directory_);
  std::ofstream(directory_ / "file") << "in the way";
  const auto saved = save_probe(sample(), directory_ / "file" / "probe.json");

  ASSERT_FALSE(saved);
  EXPECT_EQ(saved.error().code, ErrorCode::Environment);
}

TEST_F(ProbeDirectory, MissingFileIsAnError) {
  const auto read = read_probe(directory_ / "probe.json");

  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().message, "no such file");
}

}  // namespace
}  // namespace foretell::probe
