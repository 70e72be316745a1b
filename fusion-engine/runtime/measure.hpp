// SPDX-License-Identifier: Apache-2.0
// Times executors against each other. Variants take turns, in an order that rotates from round to round, so
// that drift of the machine (frequency, neighbours) meets all alike. A sample is a batch of steps with one
// synchronize at its end: host and device work side by side within it, as they do in a program's loop.
//
// Warm-up: a variant's batch is doubled until a sample is long enough, then samples are taken until the last
// six of those left alone show no trend (the medians of the older and the newer three lie as close as the
// interval is asked to be), or the warm-up's budget is spent (told as `stable`). Each sample begins with the
// states that the inputs began with; with an untimed step before it (longest_lead_in_ns), one step on.
//
// A sample in which the host or a worker was interrupted, or time was stolen, for what may be more of it than
// the interval is asked to be, is rejected and counted: of short samples all, of one that takes a second
// those interrupted more than three times. When more than a fifth are, the attempt is given up after a wait,
// twice at most; then the machine is busy, and there is no number. The intervals are looked at after
// min_rounds, twice, four times as many...: looking after each round, and stopping at the first that pleases,
// would make a 95 % interval miss more often.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fusion-engine/runtime/executor.hpp"
#include "fusion-engine/runtime/machine_state.hpp"
#include "fusion-engine/runtime/median_interval.hpp"

namespace foretell::runtime {

struct Variant {
  std::string name;
  Executor* executor = nullptr;
};

// Defaults without an origin given are choices: what a run may take, and what is worth telling apart.
struct MeasureOptions {
  double relative_half_width = 0.01;       // of the median's 95 % interval: stops when all variants reach it
  std::int64_t budget_ns = 3'000'000'000;  // of an attempt; also a stop
  std::int64_t warm_up_budget_ns = 1'000'000'000;  // of each variant
  // The least number whose 95 % interval of the median leaves out the extremes is 9 (median_ranks).
  std::size_t min_rounds = 10;
  std::size_t max_rounds = 2560;  // min_rounds, doubled eight times
  // A hundred times what waking a parked worker takes (some 50 us: progress.hpp), so that it is 1 % of a
  // sample, which is the accuracy asked for.
  std::int64_t min_sample_ns = 5'000'000;
  // The first step after another variant finds that one's data in the caches: an untimed step comes before
  // each sample, but for steps so long that it does not matter: 32 MB of cache are read anew in 3 ms at 10
  // GB/s, 3 % of such a step, and a step so long reads most of its data anew in any case.
  std::int64_t longest_lead_in_ns = 100'000'000;
  double max_rejected = 0.2;
  int attempts = 3;
  std::int64_t wait_ns = 500'000'000;  // between attempts
};

struct VariantTimes {
  std::string name;
  std::int64_t batch = 1;  // steps of a sample
  bool stable = false;     // warm-up ended by its rule
  // Nanoseconds a step, by round; nullopt where rejected.
  std::vector<std::optional<double>> samples;
  MedianInterval step_ns;
  // Median over samples of what the host needs to enqueue a step: until the last step of the batch returned,
  // without the time in which the host waited for the device.
  double host_ns = 0;
  std::size_t accepted = 0;
  std::size_t rejected = 0;
};

struct Measurement {
  std::vector<VariantTimes> variants;  // as they were given
  int attempts = 1;
  bool machine_busy = false;  // no verdict: the intervals are empty
  bool converged = false;     // all intervals are as narrow as asked for
  std::int64_t duration_ns = 0;
};

// Resets the executors' states. Errors: of the executors.
Result<Measurement> measure(std::span<const Variant> variants, MachineState& machine,
                            const MeasureOptions& options = {});

// How many times faster `after` is than `before`.
struct Speedup {
  double ratio = 0;  // median step of before / median step of after
  double low = 0;    // its 95 % interval (ratio_interval.hpp)
  double high = 0;
};
// None if the machine was busy, or neither was rejected in fewer than 6 rounds.
std::optional<Speedup> speedup(const VariantTimes& before, const VariantTimes& after);

}  // namespace foretell::runtime
