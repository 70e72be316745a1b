// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/probe/machine.hpp"

#include <gtest/gtest.h>

namespace foretell::probe {
namespace {

TEST(ParseCpuModel, IsTheFirstProcessors) {
  EXPECT_EQ(parse_cpu_model("processor\t: 0\nmodel name\t: Fast CPU @ 3 GHz\nflags\t: a b\n\n"
                            "processor\t: 1\nmodel name\t: Other\n"),
            "Fast CPU @ 3 GHz");
  EXPECT_EQ(parse_cpu_model("processor\t: 0\nmodel name\t: no newline"), "no newline");
  EXPECT_EQ(parse_cpu_model("processor\t: 0\nBogoMIPS\t: 50\n"), "");
  EXPECT_EQ(parse_cpu_model("model name\t:\n"), "");
  EXPECT_EQ(parse_cpu_model(""), "");
}

TEST(ParseAvailableMemory, IsInBytes) {
  EXPECT_EQ(parse_available_memory("MemTotal:  100 kB\nMemAvailable:     2048 kB\n"), 2048 * 1024);
  EXPECT_EQ(parse_available_memory("MemTotal:  100 kB\n"), 0);
}

TEST(ReadMachine, NamesTheTeamOfTheDevice) {
  runtime::cpu::DeviceOptions options;
  options.stream.threads = 2;
  const auto device = runtime::cpu::open_cpu_device(options);
  ASSERT_TRUE(device);
  const Machine machine = read_machine(*device);

  EXPECT_EQ(machine.team, 2);
  EXPECT_GE(machine.cores, 1);
  EXPECT_FALSE(machine.kernel.empty());
  EXPECT_FALSE(machine.sync);
  EXPECT_EQ(machine, read_machine(*device));
  Machine in_one_lane = machine;
  in_one_lane.sync = true;
  EXPECT_FALSE(machine == in_one_lane);
}

}  // namespace
}  // namespace foretell::probe
