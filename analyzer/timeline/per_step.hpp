// SPDX-License-Identifier: Apache-2.0
// A quantity summed per step: over the whole trace, over the steady steps, and in the typical one of them.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/timeline/steps.hpp"

namespace foretell::timeline {

struct StepSum {
  std::int64_t per_step = 0;  // median over the steady steps, those without any counted as 0
  std::int64_t steady = 0;    // sum over the steady steps
  std::int64_t total = 0;     // over the whole trace, what lies in no step included
  friend bool operator==(const StepSum&, const StepSum&) = default;
};

class StepSums {
 public:
  explicit StepSums(const Steps& steps) : steps_(steps.all), of_step_(steps.all.size(), 0) {}

  // `step` as step_at() gives it.
  void add(std::size_t step, std::int64_t amount);
  [[nodiscard]] StepSum sum() const;
  [[nodiscard]] const std::vector<std::int64_t>& of_step() const { return of_step_; }

 private:
  const std::vector<Step>& steps_;
  std::vector<std::int64_t> of_step_;
  std::int64_t total_ = 0;
};

// The median of `values` and of zeros up to `count` values in all; none of them negative.
std::int64_t median_with_zeros(std::vector<std::int64_t> values, std::size_t count);

}  // namespace foretell::timeline
