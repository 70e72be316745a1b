// SPDX-License-Identifier: Apache-2.0
// Times executors against each other. Variants take turns, in an order that rotates from round to round, so
// that drift of the machine (frequency, neighbours) meets all alike. A sample is a batch of steps with one
// synchronize at its end: host and device work side by side within it, as they do in a program's loop.
//
// Warm-up: a variant's batch is doubled until a sample is long enough, then samples are taken until the last
// three lie within 5 %, or the warm-up's budget is spent (told as `stable`). A sample in which the host or a
// worker was interrupted, or time was stolen, is rejected and counted. When more than a fifth are, the
// attempt is given up after a wait, twice at most; then the machine is busy, and there is no number.
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

struct MeasureOptions {
  double relative_half_width = 0.01;       // of the median's 95 % interval: stops when all variants reach it
  std::int64_t budget_ns = 3'000'000'000;  // of an attempt; also a stop
  std::int64_t warm_up_budget_ns = 1'000'000'000;  // of each variant
  std::size_t min_rounds = 10;
  std::size_t max_rounds = 2000;
  // Long against waking a sleeping worker (assumed: up to 50 us, 1 %) and the clock's resolution (some 20
  // ns).
  std::int64_t min_sample_ns = 5'000'000;
  // The first step after another variant finds that one's data in the caches: an untimed step comes before
  // each sample, but for steps so long that it does not matter.
  std::int64_t longest_lead_in_ns = 100'000'000;
  // Commands the host can enqueue without waiting for the device: host cost is timed over no more.
  std::int64_t queue_commands = 512;
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
  double host_ns = 0;  // median of what the host needs to enqueue a step, without waiting
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

// Errors: of the executors.
Result<Measurement> measure(std::span<const Variant> variants, MachineState& machine,
                            const MeasureOptions& options = {});

// How many times faster `after` is than `before`.
struct Speedup {
  double of_medians = 0;  // median step of before / of after
  MedianInterval paired;  // of the rounds' own ratios, over rounds in which neither was rejected
};
// None if the machine was busy, or fewer than 6 rounds have both.
std::optional<Speedup> speedup(const VariantTimes& before, const VariantTimes& after);

}  // namespace foretell::runtime
