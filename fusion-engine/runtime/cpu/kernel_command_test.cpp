// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/runtime/cpu/kernel_command.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace foretell::runtime::cpu {
namespace {

// Buffers are i64 counters, all but the last.
constexpr std::int64_t kUnits = 64;
template <std::size_t N>
void add_units(void* const* buffers, std::int64_t begin, std::int64_t end) {
  for (std::size_t i = 0; i + 1 < N; ++i) {
    for (std::int64_t unit = begin; unit < end; ++unit) {
      static_cast<std::int64_t*>(buffers[i])[unit] += 1;
    }
  }
}
// The last buffer: whether the stage before was complete.
template <std::size_t N>
void check_stage(void* const* buffers, std::int64_t begin, std::int64_t end) {
  for (std::int64_t unit = begin; unit < end; ++unit) {
    std::int64_t sum = 0;
    for (std::int64_t other = 0; other < kUnits; ++other) {
      sum += static_cast<const std::int64_t*>(buffers[0])[other];
    }
    static_cast<std::int64_t*>(buffers[N - 1])[unit] = sum;
  }
}

template <std::size_t N>
void launch_twice(Stream& stream) {
  KernelCommand command(
      {{.entry = add_units<N>, .units = kUnits}, {.entry = check_stage<N>, .units = kUnits}}, N);
  // The second launch has other addresses.
  std::vector<std::vector<std::int64_t>> memory(2 * N, std::vector<std::int64_t>(kUnits));
  for (std::size_t launch = 0; launch < 2; ++launch) {
    for (std::size_t i = 0; i < N; ++i) {
      command.buffers()[i] = memory[launch * N + i].data();
    }
    command.launch(stream);
  }
  stream.synchronize();
  for (std::size_t i = 0; i < 2 * N; ++i) {
    const std::int64_t want = i % N == N - 1 ? kUnits : 1;
    EXPECT_EQ(memory[i], std::vector<std::int64_t>(kUnits, want)) << N << " buffers, buffer " << i;
  }
}

TEST(KernelCommand, RunsStagesOneAfterTheOtherOverAnyNumberOfBuffers) {
  for (const bool one_lane : {true, false}) {
    auto stream = Stream::create({.threads = 3, .one_lane = one_lane, .pin = false});
    ASSERT_TRUE(stream.has_value()) << stream.error().message;
    launch_twice<2>(**stream);
    launch_twice<12>(**stream);  // the most that fit two lines of the cache
    launch_twice<13>(**stream);
    launch_twice<126>(**stream);  // a command
    launch_twice<127>(**stream);
    launch_twice<400>(**stream);
  }
}

TEST(KernelCommand, CallsNothingForNoUnits) {
  auto stream = Stream::create({.one_lane = true, .pin = false});
  ASSERT_TRUE(stream.has_value()) << stream.error().message;
  KernelCommand command({{.entry = nullptr, .units = 0}}, 1);
  command.launch(**stream);
  (*stream)->synchronize();
}

}  // namespace
}  // namespace foretell::runtime::cpu
