// SPDX-License-Identifier: Apache-2.0
// What the CPU's stream costs: enqueueing by the host, and empty commands in the workers.
//
//   engine_stream [Google Benchmark options]
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

#include "fusion-engine/runtime/cpu/stream.hpp"

namespace {

using foretell::runtime::cpu::Lane;
using foretell::runtime::cpu::Stream;
using foretell::runtime::cpu::StreamOptions;
using Clock = std::chrono::steady_clock;

constexpr int kIterations = 2000;
constexpr int kCommands = 256;  // a quarter of the ring: the host never waits for room

std::unique_ptr<Stream> open(const StreamOptions& options) {
  auto stream = Stream::create(options);
  if (!stream) {
    std::fprintf(stderr, "engine_stream: %s\n", stream.error().message.c_str());
    std::exit(4);
  }
  return std::move(*stream);
}

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Every sample is one iteration. Means of them say little on a machine that does other things too, so
// quantiles are given as well.
class Samples {
 public:
  explicit Samples(benchmark::State& state) : state_(state) {}
  void add(double seconds) {
    state_.SetIterationTime(seconds);
    ns_.push_back(seconds * 1e9);
  }
  ~Samples() {
    std::ranges::sort(ns_);
    if (!ns_.empty()) {
      state_.counters["p10_ns"] = ns_[ns_.size() / 10];
      state_.counters["median_ns"] = ns_[ns_.size() / 2];
    }
  }

 private:
  benchmark::State& state_;
  std::vector<double> ns_;
};

template <std::size_t kBytes>
struct Empty {
  std::array<std::byte, kBytes> payload{};
  void operator()(const Lane&) const {}
};

// A launch into a ring with room, the worker awake; per command.
template <std::size_t kBytes>
void enqueue_to_running(benchmark::State& state) {
  const auto stream = open({.threads = static_cast<int>(state.range(0))});
  const Empty<kBytes> work;
  Samples samples(state);
  for (auto _ : state) {
    const auto start = Clock::now();
    for (int i = 0; i < kCommands; ++i) {
      stream->launch(work);
    }
    samples.add(seconds_since(start) / kCommands);
    stream->synchronize();
  }
}
BENCHMARK_TEMPLATE(enqueue_to_running, 16)
    ->UseManualTime()
    ->Iterations(kIterations)
    ->Arg(1)
    ->Unit(benchmark::kNanosecond);
BENCHMARK_TEMPLATE(enqueue_to_running, 512)
    ->UseManualTime()
    ->Iterations(kIterations)
    ->Arg(1)
    ->Unit(benchmark::kNanosecond);
BENCHMARK_TEMPLATE(enqueue_to_running, 1024)
    ->UseManualTime()
    ->Iterations(kIterations)
    ->Arg(1)
    ->Unit(benchmark::kNanosecond);

// The same when the worker has parked: the host wakes it.
void enqueue_to_parked(benchmark::State& state) {
  const auto stream = open({.threads = 1});
  Samples samples(state);
  for (auto _ : state) {
    const auto rest = Clock::now();
    while (seconds_since(rest) < 200e-6) {  // four times the spin before parking
    }
    const auto start = Clock::now();
    stream->launch(Empty<16>{});
    samples.add(seconds_since(start));
    stream->synchronize();
  }
}
BENCHMARK(enqueue_to_parked)->UseManualTime()->Iterations(kIterations)->Unit(benchmark::kNanosecond);

// From the launch on an idle stream (worker spinning, or parked) until the host knows that it has run.
void round_trip(benchmark::State& state) {
  const auto stream = open({.threads = 1});
  const double idle_s = static_cast<double>(state.range(0)) * 1e-6;
  Samples samples(state);
  for (auto _ : state) {
    const auto rest = Clock::now();
    while (seconds_since(rest) < idle_s) {
    }
    const auto start = Clock::now();
    stream->launch(Empty<16>{});
    stream->synchronize();
    samples.add(seconds_since(start));
  }
}
BENCHMARK(round_trip)
    ->UseManualTime()
    ->Iterations(kIterations)
    ->ArgName("idle_us")
    ->Arg(5)
    ->Arg(200)
    ->Unit(benchmark::kNanosecond);

// Device time of an empty command behind others; all are there before the first one ends.
void drain(benchmark::State& state) {
  const auto stream = open({.threads = static_cast<int>(state.range(0))});
  Samples samples(state);
  for (auto _ : state) {
    std::atomic<bool> opened{false};
    std::int64_t begin = 0;
    std::int64_t end = 0;
    stream->launch([gate = &opened](const Lane&) {
      while (!gate->load(std::memory_order_acquire)) {
      }
    });
    stream->record_time(&begin);
    for (int i = 0; i < kCommands; ++i) {
      stream->launch(Empty<16>{});
    }
    stream->record_time(&end);
    opened.store(true, std::memory_order_release);
    stream->synchronize();
    samples.add(static_cast<double>(end - begin) * 1e-9 / kCommands);
  }
}
BENCHMARK(drain)
    ->UseManualTime()
    ->Iterations(kIterations)
    ->ArgName("workers")
    ->Arg(1)
    ->Arg(2)
    ->Unit(benchmark::kNanosecond);

}  // namespace

BENCHMARK_MAIN();
