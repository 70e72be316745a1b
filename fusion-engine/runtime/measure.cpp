// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/runtime/measure.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "fusion-engine/runtime/ratio_interval.hpp"

namespace foretell::runtime {
namespace {

struct Sample {
  double step_ns = 0;
  double host_ns = 0;
  bool disturbed = false;
};

class Session {
 public:
  Session(std::span<const Variant> variants, MachineState& machine, const MeasureOptions& options)
      : variants_(variants), machine_(machine), options_(options) {}

  Result<Measurement> run() {
    const std::int64_t start = machine_.now_ns();
    Measurement result;
    for (const Variant& variant : variants_) {
      VariantTimes& times = result.variants.emplace_back(VariantTimes{.name = variant.name});
      FORETELL_RETURN_IF_ERROR(warm_up(variant, times));
    }
    for (;; ++result.attempts) {
      FORETELL_ASSIGN_OR_RETURN(const bool quiet, attempt(result));
      result.machine_busy = !quiet;
      if (quiet || result.attempts == options_.attempts) {
        break;
      }
      machine_.wait(options_.wait_ns);
    }
    if (result.machine_busy) {
      for (VariantTimes& times : result.variants) {
        times.step_ns = {};
        times.host_ns = 0;
      }
    }
    result.duration_ns = machine_.now_ns() - start;
    return result;
  }

 private:
  // One sample of `batch` steps.
  Result<Sample> take(const Variant& variant, std::int64_t batch, bool lead_in) {
    Executor& executor = *variant.executor;
    executor.reset();
    if (lead_in) {
      FORETELL_RETURN_IF_ERROR(executor.step());
      FORETELL_RETURN_IF_ERROR(executor.synchronize());
    }
    const Disturbance before = machine_.disturbance_before();
    const std::int64_t blocked = machine_.blocked_ns();
    const std::int64_t start = machine_.now_ns();
    for (std::int64_t i = 0; i < batch; ++i) {
      FORETELL_RETURN_IF_ERROR(executor.step());
    }
    const std::int64_t enqueued = machine_.now_ns();
    const std::int64_t waited = machine_.blocked_ns() - blocked;
    FORETELL_RETURN_IF_ERROR(executor.synchronize());
    const std::int64_t end = machine_.now_ns();
    return Sample{.step_ns = static_cast<double>(end - start) / static_cast<double>(batch),
                  .host_ns = static_cast<double>(enqueued - start - waited) / static_cast<double>(batch),
                  .disturbed = is_disturbed(before, machine_.disturbance_after(), end - start)};
  }

  bool is_disturbed(const Disturbance& before, const Disturbance& after, std::int64_t duration_ns) const {
    return static_cast<double>(cost_ns(before, after)) >
           options_.relative_half_width * static_cast<double>(duration_ns);
  }

  Result<void> warm_up(const Variant& variant, VariantTimes& times) {
    const std::int64_t end = machine_.now_ns() + options_.warm_up_budget_ns;
    std::vector<double> samples;
    do {
      FORETELL_ASSIGN_OR_RETURN(const Sample sample, take(variant, times.batch, false));
      if (sample.step_ns * static_cast<double>(times.batch) < static_cast<double>(options_.min_sample_ns)) {
        times.batch *= 2;
        samples.clear();
      } else if (!sample.disturbed) {
        samples.push_back(sample.step_ns);
        times.stable = is_settled(samples);
      }
    } while (!times.stable && machine_.now_ns() < end);
    lead_in_.push_back(samples.empty() || samples.back() <= static_cast<double>(options_.longest_lead_in_ns));
    return {};
  }

  // Three and three: a median of three bears one sample that is off, which a trend is not.
  bool is_settled(std::span<const double> samples) const {
    constexpr std::size_t kEach = 3;
    if (samples.size() < 2 * kEach) {
      return false;
    }
    const auto median = [](std::span<const double> three) {
      return std::max(std::min(three[0], three[1]), std::min(std::max(three[0], three[1]), three[2]));
    };
    const double older = median(samples.last(2 * kEach).first(kEach));
    const double newer = median(samples.last(kEach));
    return std::abs(newer - older) <= options_.relative_half_width * std::min(older, newer);
  }

  // False if too many samples were disturbed, or too few of a variant are left.
  Result<bool> attempt(Measurement& result) {
    for (VariantTimes& times : result.variants) {
      times.samples.clear();
      times.accepted = times.rejected = 0;
    }
    host_.assign(variants_.size(), {});
    result.converged = false;
    const std::int64_t start = machine_.now_ns();
    std::size_t next_look = options_.min_rounds;
    for (std::size_t round = 0; round < options_.max_rounds && !result.converged; ++round) {
      for (std::size_t turn = 0; turn < variants_.size(); ++turn) {
        const std::size_t i = (round + turn) % variants_.size();
        VariantTimes& times = result.variants[i];
        FORETELL_ASSIGN_OR_RETURN(const Sample sample, take(variants_[i], times.batch, lead_in_[i]));
        times.samples.push_back(sample.disturbed ? std::nullopt : std::optional(sample.step_ns));
        ++(sample.disturbed ? times.rejected : times.accepted);
        if (!sample.disturbed) {
          host_[i].push_back(sample.host_ns);
        }
      }
      const std::size_t rounds = round + 1;
      if (rounds < options_.min_rounds) {
        continue;
      }
      if (too_many_rejected(result)) {
        return false;
      }
      // Beyond the budget only for a variant that was disturbed more than others, and not for twice as long.
      const std::int64_t spent_ns = machine_.now_ns() - start;
      const bool is_last = rounds == options_.max_rounds || spent_ns >= 2 * options_.budget_ns ||
                           (spent_ns >= options_.budget_ns && are_enough(result));
      if (rounds == next_look || is_last) {
        result.converged = evaluate(result);
        next_look *= 2;
      }
      if (is_last) {
        break;
      }
    }
    return are_enough(result);
  }

  // For an interval of each variant.
  static bool are_enough(const Measurement& result) {
    return std::ranges::all_of(
        result.variants, [](const VariantTimes& times) { return median_ranks(times.accepted).has_value(); });
  }

  bool too_many_rejected(const Measurement& result) const {
    std::size_t rejected = 0;
    std::size_t taken = 0;
    for (const VariantTimes& times : result.variants) {
      rejected += times.rejected;
      taken += times.samples.size();
    }
    return static_cast<double>(rejected) > options_.max_rejected * static_cast<double>(taken);
  }

  // True if all intervals are as narrow as asked for.
  bool evaluate(Measurement& result) const {
    bool narrow = true;
    for (std::size_t i = 0; i < variants_.size(); ++i) {
      VariantTimes& times = result.variants[i];
      std::vector<double> accepted;
      for (const auto& sample : times.samples) {
        if (sample) {
          accepted.push_back(*sample);
        }
      }
      const auto interval = median_interval(accepted);
      times.step_ns = interval.value_or(MedianInterval{});
      times.host_ns = median_interval(host_[i]).value_or(MedianInterval{}).median;
      narrow = narrow && interval &&
               interval->high - interval->low <= 2 * options_.relative_half_width * interval->median;
    }
    return narrow;
  }

  std::span<const Variant> variants_;
  MachineState& machine_;
  const MeasureOptions& options_;
  std::vector<bool> lead_in_;              // by variant
  std::vector<std::vector<double>> host_;  // by variant, of the attempt
};

}  // namespace

Result<Measurement> measure(std::span<const Variant> variants, MachineState& machine,
                            const MeasureOptions& options) {
  return Session(variants, machine, options).run();
}

std::optional<Speedup> speedup(const VariantTimes& before, const VariantTimes& after) {
  if (before.step_ns.median <= 0 || after.step_ns.median <= 0) {
    return std::nullopt;
  }
  const auto interval = ratio_interval(before.samples, after.samples);
  if (!interval) {
    return std::nullopt;
  }
  return Speedup{
      .ratio = before.step_ns.median / after.step_ns.median, .low = interval->low, .high = interval->high};
}

}  // namespace foretell::runtime
