// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/runtime/cpu/recording.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <numeric>
#include <vector>

#include "fusion-engine/runtime/cpu/stream.hpp"

namespace foretell::runtime::cpu {
namespace {

std::unique_ptr<Stream> open(int threads) {
  return Stream::create({.threads = threads, .one_lane = threads == 0, .pin = false}).value();
}

class Replays : public testing::TestWithParam<int> {};  // threads; 0: one lane

TEST_P(Replays, RunNothingUntilReplayedThenAllInOrder) {
  const auto stream = open(GetParam());
  std::vector<int> seen;
  Recording recording;
  stream->begin_recording(recording);
  for (int i = 0; i < 5; ++i) {
    stream->launch([to = &seen, i](const Lane& lane) {
      if (lane.rank == 0) {
        to->push_back(i);
      }
    });
  }
  stream->end_recording();
  EXPECT_TRUE(seen.empty());
  EXPECT_EQ(recording.commands(), 5U);
  ASSERT_EQ(recording.segments().size(), 1U);
  for (int i = 0; i < 3; ++i) {
    stream->replay(recording);
  }
  stream->synchronize();
  EXPECT_EQ(seen, (std::vector<int>{0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1, 2, 3, 4}));
}

// Each command reads all that the one before wrote.
TEST_P(Replays, LanesAreThroughWithACommandBeforeTheNextBegins) {
  constexpr std::int64_t kUnits = 64;
  const auto stream = open(GetParam());
  std::vector<std::int64_t> values(kUnits, 1);
  std::vector<std::int64_t> sums(kUnits, 0);
  Recording recording;
  stream->begin_recording(recording);
  for (int i = 0; i < 20; ++i) {
    stream->launch([from = &values, to = &sums](const Lane& lane) {
      const std::int64_t sum = std::accumulate(from->begin(), from->end(), std::int64_t{0});
      std::fill(to->begin() + lane.begin(kUnits), to->begin() + lane.end(kUnits), sum);
    });
    stream->launch([from = &sums, to = &values](const Lane& lane) {
      for (std::int64_t unit = lane.begin(kUnits); unit < lane.end(kUnits); ++unit) {
        (*to)[static_cast<std::size_t>(unit)] =
            (*from)[static_cast<std::size_t>(kUnits - 1 - unit)] / kUnits + 1;
      }
    });
  }
  stream->end_recording();
  for (int i = 0; i < 50; ++i) {
    stream->replay(recording);
  }
  stream->synchronize();
  EXPECT_EQ(values, std::vector<std::int64_t>(kUnits, 50 * 20 + 1));
}

// What the host waits for ends a segment; without commands in front there is nothing to wait for.
TEST_P(Replays, WaitWhereTheHostWaited) {
  const auto stream = open(GetParam());
  std::atomic<int> count{0};
  const auto increment = [to = &count](const Lane& lane) {
    if (lane.rank == 0) {
      to->fetch_add(1);
    }
  };
  Recording recording;
  stream->begin_recording(recording);
  stream->synchronize();
  stream->launch(increment);
  stream->launch(increment);
  stream->synchronize();
  stream->synchronize();
  stream->launch(increment);
  stream->end_recording();
  ASSERT_EQ(recording.segments().size(), 2U);
  EXPECT_TRUE(recording.segments()[0].host_waits);
  EXPECT_EQ(recording.segments()[0].commands.size(), 2U);
  EXPECT_FALSE(recording.segments()[1].host_waits);
  stream->replay(recording);
  EXPECT_GE(count.load(), 2);  // of the second segment nothing is known
  stream->synchronize();
  EXPECT_EQ(count.load(), 3);
}

INSTANTIATE_TEST_SUITE_P(Threads, Replays, testing::Values(0, 1, 2, 4), testing::PrintToStringParamName());

TEST(Recording, KeepsWorkOfAnySize) {
  struct Large {
    std::array<std::int64_t, 1000> values;
    std::int64_t* to;
    void operator()(const Lane& lane) const {
      if (lane.rank == 0) {
        *to = std::accumulate(values.begin(), values.end(), std::int64_t{0});
      }
    }
  };
  const auto stream = open(1);
  std::int64_t sum = 0;
  Recording recording;
  Large large{.values = {}, .to = &sum};
  large.values.fill(3);
  recording.add(large);
  stream->replay(recording);
  stream->synchronize();
  EXPECT_EQ(sum, 3000);
}

}  // namespace
}  // namespace foretell::runtime::cpu
