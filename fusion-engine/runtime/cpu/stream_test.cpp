// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/runtime/cpu/stream.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <random>
#include <string>
#include <thread>

#include "fusion-engine/runtime/clock.hpp"
#include "fusion-engine/runtime/cpu/affinity.hpp"

namespace foretell::runtime::cpu {
namespace {

struct Case {
  std::string name;
  StreamOptions options;
};

class EveryTeam : public ::testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    auto made = Stream::create(GetParam().options);
    ASSERT_TRUE(made.has_value()) << made.error().message;
    stream_ = std::move(*made);
  }
  int team() const { return stream_->team_size(); }
  std::unique_ptr<Stream> stream_;
};

INSTANTIATE_TEST_SUITE_P(Stream, EveryTeam,
                         ::testing::Values(Case{"one_lane", {.one_lane = true}}, Case{"one", {.threads = 1}},
                                           Case{"two", {.threads = 2}}, Case{"three", {.threads = 3}},
                                           Case{"four", {.threads = 4}},
                                           Case{"two_unpinned", {.threads = 2, .pin = false}}),
                         [](const auto& test) { return test.param.name; });

// Several times round the ring.
constexpr std::int64_t kMany = 4 * static_cast<std::int64_t>(Stream::kCapacity) + 17;

TEST_P(EveryTeam, CommandsRunInOrderEachOnAllLanes) {
  // Each command writes every cell, odd ones from the neighbour's lane, and finds what the one before left
  // there. The cells are plain memory, so TSan sees any overlap of two commands.
  struct Cells {
    std::array<std::int64_t, 4> count{};
    std::array<std::int64_t, 4> wrong{};
  } cells;
  for (std::int64_t i = 0; i < kMany; ++i) {
    stream_->launch([i, all = &cells](const Lane& lane) {
      const auto cell = static_cast<std::size_t>((lane.rank + i % 2) % lane.size);
      all->wrong[cell] += all->count[cell] != i ? 1 : 0;
      all->count[cell] = i + 1;
    });
  }
  stream_->synchronize();
  for (std::size_t lane = 0; lane < static_cast<std::size_t>(team()); ++lane) {
    EXPECT_EQ(cells.count[lane], kMany);
    EXPECT_EQ(cells.wrong[lane], 0);
  }
}

TEST_P(EveryTeam, LanesShareUnitsWithoutGapOrOverlap) {
  for (const std::int64_t units : {0, 1, 2, 3, 7, 1000}) {
    std::vector<int> hits(static_cast<std::size_t>(units), 0);
    stream_->launch([units, to = hits.data()](const Lane& lane) {
      for (std::int64_t i = lane.begin(units); i < lane.end(units); ++i) {
        ++to[i];
      }
    });
    stream_->synchronize();
    EXPECT_EQ(hits, std::vector<int>(static_cast<std::size_t>(units), 1));
  }
}

TEST_P(EveryTeam, BarrierOrdersStagesOfACommand) {
  constexpr int kStages = 50;
  std::vector<int> values(static_cast<std::size_t>(team()), 0);
  std::atomic<int> wrong{0};
  stream_->launch([to = values.data(), bad = &wrong](const Lane& lane) {
    for (int stage = 0; stage < kStages; ++stage) {
      to[lane.rank] = stage;
      lane.barrier();
      for (int other = 0; other < lane.size; ++other) {
        *bad += to[other] != stage ? 1 : 0;
      }
      lane.barrier();
    }
  });
  stream_->synchronize();
  EXPECT_EQ(wrong, 0);
}

TEST_P(EveryTeam, EventPassesAfterWhatWasEnqueuedBeforeIt) {
  std::int64_t first = 0;
  std::int64_t second = 0;
  stream_->launch([to = &first](const Lane& lane) {
    if (lane.rank == 0) {
      *to = 1;
    }
  });
  const Event event = stream_->record();
  stream_->launch([from = &first, to = &second](const Lane& lane) {
    if (lane.rank == 0) {
      *to = *from + 1;
    }
  });
  stream_->wait(event);
  EXPECT_EQ(first, 1);
  stream_->synchronize();
  EXPECT_EQ(second, 2);
  stream_->wait(event);  // long passed
}

TEST_P(EveryTeam, RecordedTimesAscend) {
  std::vector<std::int64_t> times(100, 0);
  for (std::int64_t& time : times) {
    stream_->record_time(&time);
  }
  stream_->synchronize();
  EXPECT_GT(times.front(), 0);
  EXPECT_TRUE(std::ranges::is_sorted(times));
}

TEST_P(EveryTeam, PayloadArrivesWhole) {
  struct Work {
    std::array<std::int64_t, (Stream::kPayloadBytes - 8) / 8> numbers;
    std::int64_t* sum;
    void operator()(const Lane& lane) const {
      if (lane.rank == 0) {
        *sum = std::accumulate(numbers.begin(), numbers.end(), std::int64_t{0});
      }
    }
  };
  static_assert(sizeof(Work) == Stream::kPayloadBytes);
  std::int64_t sum = 0;
  Work work{.numbers = {}, .sum = &sum};
  std::iota(work.numbers.begin(), work.numbers.end(), 1);
  stream_->launch(work);
  work.numbers.fill(0);  // it was copied
  stream_->synchronize();
  const auto n = static_cast<std::int64_t>(work.numbers.size());
  EXPECT_EQ(sum, n * (n + 1) / 2);
}

TEST_P(EveryTeam, DestructorRunsWhatIsPending) {
  std::int64_t count = 0;
  for (int i = 0; i < 500; ++i) {
    stream_->launch([to = &count](const Lane& lane) {
      if (lane.rank == 0) {
        ++*to;
      }
    });
  }
  stream_.reset();
  EXPECT_EQ(count, 500);
}

// A command that goes on until its thread was interrupted, beside another thread that wants its processor.
TEST(StreamSwitches, AreCounted) {
  const auto stream = Stream::create({.threads = 1}).value();
  if (stream->worker_cpus().empty()) {
    // Some containers forbid it; only a rival on the worker's own processor interrupts it for sure.
    GTEST_SKIP() << "threads can't be bound to processors here";
  }
  const int cpu = stream->worker_cpus().front();
  const std::jthread rival([cpu](const std::stop_token& stop) {
    bind_thread({cpu});
    while (!stop.stop_requested()) {
    }
  });
  const std::int64_t before = stream->involuntary_switches();
  std::int64_t seen = 0;
  stream->launch([to = &seen](const Lane&) {
    constexpr std::int64_t kGiveUpNs = 10'000'000'000;
    const auto switches = [] {
      rusage usage{};
      ::getrusage(RUSAGE_THREAD, &usage);
      return usage.ru_nivcsw;
    };
    const std::int64_t first = switches();
    for (const std::int64_t end = now_ns() + kGiveUpNs; *to == 0 && now_ns() < end;) {
      *to = switches() - first;
    }
  });
  stream->synchronize();
  if (seen == 0) {
    // Sandboxes that answer getrusage themselves give 0: there is nothing to hold the stream's count against.
    GTEST_SKIP() << "the kernel doesn't count involuntary switches";
  }
  EXPECT_GE(stream->involuntary_switches(), before + seen);
}

TEST(Stream, InOneLaneThereAreNoWorkersToBeInterrupted) {
  const auto stream = Stream::create({.one_lane = true}).value();
  const std::jthread rival([cpus = allowed_cpus()](const std::stop_token& stop) {
    bind_thread(cpus);
    while (!stop.stop_requested()) {
    }
  });
  rusage usage{};
  for (const std::int64_t end = now_ns() + 1'000'000'000; usage.ru_nivcsw == 0 && now_ns() < end;) {
    ::getrusage(RUSAGE_THREAD, &usage);
  }
  EXPECT_EQ(stream->involuntary_switches(), 0);  // they are the host's own
}

TEST(StreamRing, FullRingMakesTheHostWaitAndTellsHowLong) {
  const auto stream = Stream::create({.threads = 1}).value();
  // The first command ends only when the host has enqueued a whole ring: the next one finds no room, unless
  // the worker was faster than the host all along, so the ring is filled again until that happened.
  std::int64_t count = 0;
  std::int64_t enqueued = 0;
  std::int64_t blocked_ns = 0;
  EXPECT_EQ(stream->blocked_ns(), 0);
  while (blocked_ns == 0) {
    const std::int64_t before = stream->blocked_ns();
    std::atomic<bool> closed{true};
    stream->launch([gate = &closed](const Lane&) { gate->wait(true); });
    for (std::size_t i = 1; i < Stream::kCapacity; ++i) {
      stream->launch([to = &count](const Lane&) { ++*to; });
    }
    EXPECT_EQ(stream->blocked_ns(), before);  // it just fits
    closed = false;
    closed.notify_one();
    stream->launch([to = &count](const Lane&) { ++*to; });
    blocked_ns = stream->blocked_ns() - before;
    enqueued += static_cast<std::int64_t>(Stream::kCapacity);
    stream->synchronize();
  }
  EXPECT_EQ(count, enqueued);
}

TEST(StreamRing, WaitingForAnEventIsTimeBlocked) {
  const auto stream = Stream::create({.threads = 1}).value();
  const Event empty = stream->record();
  stream->wait(empty);
  EXPECT_EQ(stream->blocked_ns(), 0);  // it had passed
  while (stream->blocked_ns() == 0) {  // unless the host is held up for that long
    stream->launch([](const Lane&) {
      for (const std::int64_t end = now_ns() + 1'000'000; now_ns() < end;) {
      }
    });
    stream->synchronize();
  }
}

TEST(StreamRing, OneLaneRunsInTheCall) {
  const auto stream = Stream::create({.threads = 3, .one_lane = true}).value();
  EXPECT_EQ(stream->team_size(), 1);
  int value = 0;
  stream->launch([to = &value](const Lane& lane) { *to = lane.size; });
  EXPECT_EQ(value, 1);  // before any wait
  stream->synchronize();
  EXPECT_EQ(stream->blocked_ns(), 0);
}

TEST(StreamPlacement, TellsWhereItsThreadsMayRun) {
  const std::vector<int> allowed = allowed_cpus();
  for (const bool pin : {true, false}) {
    const auto stream = Stream::create({.threads = static_cast<int>(allowed.size()) - 1, .pin = pin}).value();
    EXPECT_EQ(stream->processors(), allowed);
  }
  if (allowed.size() > 2) {
    const auto stream = Stream::create({.threads = 1}).value();
    EXPECT_EQ(stream->processors(), (std::vector{allowed[0], allowed[1]}));
  }
}

TEST(StreamPlacement, HostGetsItsProcessorsBack) {
  const std::vector<int> before = allowed_cpus();
  {
    const auto stream = Stream::create().value();
    EXPECT_EQ(allowed_cpus(), std::vector{before.front()});
    EXPECT_EQ(stream->team_size(), std::max(static_cast<int>(before.size()) - 1, 1));
    std::vector<int> at(static_cast<std::size_t>(stream->team_size()), -1);
    stream->launch([to = at.data()](const Lane& lane) { to[lane.rank] = allowed_cpus().front(); });
    stream->synchronize();
    EXPECT_EQ(at, stream->worker_cpus());
  }
  EXPECT_EQ(allowed_cpus(), before);
}

TEST(StreamPlacement, UnpinnedStaysWhereItWas) {
  const std::vector<int> before = allowed_cpus();
  const auto stream = Stream::create({.threads = 1, .pin = false}).value();
  EXPECT_EQ(allowed_cpus(), before);
  EXPECT_TRUE(stream->worker_cpus().empty());
}

// Random programs over a few cells give what the same program gives in one lane.
TEST(StreamStress, RandomTeamsGiveWhatOneLaneGives) {
  constexpr std::int64_t kCells = 64;
  const auto run = [](std::uint64_t seed, const StreamOptions& options) {
    const auto stream = Stream::create(options).value();
    std::mt19937_64 random(seed);
    std::vector<std::uint64_t> cells(kCells, seed);
    for (int command = 0; command < 1500; ++command) {
      const std::uint64_t kind = random() % 16;
      const std::uint64_t value = random();
      if (kind == 0) {
        stream->synchronize();
        cells[0] ^= value;
      } else if (kind < 5) {  // two stages: neighbours are read after all have written
        stream->launch([value, to = cells.data()](const Lane& lane) {
          for (std::int64_t i = lane.begin(kCells / 2); i < lane.end(kCells / 2); ++i) {
            to[i] = to[i + kCells / 2] + value;
          }
          lane.barrier();
          for (std::int64_t i = lane.begin(kCells / 2); i < lane.end(kCells / 2); ++i) {
            to[i + kCells / 2] ^= to[kCells / 2 - 1 - i];
          }
        });
      } else {
        stream->launch([value, to = cells.data()](const Lane& lane) {
          for (std::int64_t i = lane.begin(kCells); i < lane.end(kCells); ++i) {
            to[i] += value * static_cast<std::uint64_t>(i + 1);
          }
        });
      }
    }
    stream->synchronize();
    return cells;
  };
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const int threads = 1 + static_cast<int>(seed % 4);
    EXPECT_EQ(run(seed, {.threads = threads, .pin = seed % 2 == 0}), run(seed, {.one_lane = true}))
        << "seed " << seed << ", " << threads << " threads";
  }
}

}  // namespace
}  // namespace foretell::runtime::cpu
