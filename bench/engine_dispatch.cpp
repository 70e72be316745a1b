// SPDX-License-Identifier: Apache-2.0
// What an eager op costs the host: steps of 200 ops on small tensors, enqueued into a ring that has room for
// all.
//
//   engine_dispatch [Google Benchmark options]
//
// Every sample is a step; times are per op. Quantiles are given beside the mean, which says little on a
// machine that does other things too. blocked_ns must be 0, or the host's time holds waits for the device.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "fusion-engine/ir/text.hpp"
#include "fusion-engine/runtime/cpu/eager_executor.hpp"

namespace {

using namespace foretell;
using runtime::cpu::CpuDevice;
using runtime::cpu::InputSet;
using Clock = std::chrono::steady_clock;

constexpr int kOps = 200;
constexpr int kSteps = 2000;

template <class T>
T value_or_exit(Result<T> result) {
  if (!result) {
    std::fprintf(stderr, "engine_dispatch: %s\n", result.error().message.c_str());
    std::exit(70);
  }
  return std::move(*result);
}

// `body`: two ops, repeated.
void dispatch(benchmark::State& state, const std::string& body, const char* allocator, bool one_lane) {
  const ir::Graph graph = value_or_exit(ir::parse(fmt::format(R"(graph dispatch
x = input(to=f32, shape=[{0}])
y = input(to=f32, shape=[{0}])
c = constant(value=0.5, to=f32)
repeat 100 {{
{1}}}
return x=x
)",
                                                              state.range(0) / 4, body)));
  CpuDevice device = value_or_exit(
      runtime::cpu::open_cpu_device({.stream = {.one_lane = one_lane}, .allocator = allocator}));
  InputSet inputs = InputSet::random(graph, device, 1);
  const auto executor = runtime::cpu::make_eager_executor(graph, device, inputs);
  std::vector<double> host_ns;
  std::vector<double> step_ns;
  std::int64_t blocked_ns = 0;
  for (auto _ : state) {
    const std::int64_t blocked = device.stream->blocked_ns();
    const auto start = Clock::now();
    const bool enqueued = executor->step().has_value();
    const auto end = Clock::now();
    blocked_ns += device.stream->blocked_ns() - blocked;
    if (!enqueued || !executor->synchronize().has_value()) {
      state.SkipWithError("a step failed");
      break;
    }
    const double seconds = std::chrono::duration<double>(end - start).count();
    state.SetIterationTime(seconds / kOps);
    host_ns.push_back(seconds * 1e9 / kOps);
    step_ns.push_back(std::chrono::duration<double>(Clock::now() - start).count() * 1e9 / kOps);
  }
  for (auto* const samples : {&host_ns, &step_ns}) {
    std::ranges::sort(*samples);
  }
  if (!host_ns.empty()) {
    state.counters["host_p10_ns"] = host_ns[host_ns.size() / 10];
    state.counters["host_median_ns"] = host_ns[host_ns.size() / 2];
    state.counters["step_median_ns"] = step_ns[step_ns.size() / 2];
  }
  state.counters["blocked_ns"] = static_cast<double>(blocked_ns);
}

const std::string kUnary = "  x = neg(x)\n  x = relu(x)\n";
const std::string kBinary = "  x = add(x, y)\n  x = sub(x, y)\n";
const std::string kScalar = "  x = add(x, c)\n  x = mul(x, c)\n";

void unary(benchmark::State& state) { dispatch(state, kUnary, "caching", false); }
void binary(benchmark::State& state) { dispatch(state, kBinary, "caching", false); }
void scalar(benchmark::State& state) { dispatch(state, kScalar, "caching", false); }
void binary_system(benchmark::State& state) { dispatch(state, kBinary, "system", false); }
void binary_one_lane(benchmark::State& state) { dispatch(state, kBinary, "caching", true); }

BENCHMARK(unary)->ArgName("bytes")->Arg(4096)->UseManualTime()->Iterations(kSteps);
BENCHMARK(binary)->ArgName("bytes")->RangeMultiplier(4)->Range(64, 65536)->UseManualTime()->Iterations(
    kSteps);
BENCHMARK(scalar)->ArgName("bytes")->Arg(4096)->UseManualTime()->Iterations(kSteps);
BENCHMARK(binary_system)->ArgName("bytes")->Arg(4096)->UseManualTime()->Iterations(kSteps);
BENCHMARK(binary_one_lane)->ArgName("bytes")->Arg(4096)->UseManualTime()->Iterations(kSteps);

}  // namespace

BENCHMARK_MAIN();
