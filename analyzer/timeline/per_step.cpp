// SPDX-License-Identifier: Apache-2.0
#include "analyzer/timeline/per_step.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "analyzer/timeline/intervals.hpp"
#include "src/base/saturate.hpp"

namespace foretell::timeline {

void StepSums::add(std::size_t step, std::int64_t amount) {
  add_saturated(total_, amount);
  if (step < of_step_.size()) {
    add_saturated(of_step_[step], amount);
  }
}

StepSum StepSums::sum() const {
  StepSum sum{.total = total_};
  std::vector<std::int64_t> steady;
  for (std::size_t step = 0; step < of_step_.size(); ++step) {
    if (!steps_[step].warmup) {
      steady.push_back(of_step_[step]);
      add_saturated(sum.steady, of_step_[step]);
    }
  }
  sum.per_step = median(std::move(steady));
  return sum;
}

std::int64_t median_with_zeros(std::vector<std::int64_t> values, std::size_t count) {
  if (values.empty()) {
    return 0;
  }
  count = std::max(count, values.size());
  std::ranges::sort(values);
  const std::size_t zeros = count - values.size();
  const auto at = [&](std::size_t rank) { return rank < zeros ? 0 : values[rank - zeros]; };
  return count % 2 == 1 ? at(count / 2) : std::midpoint(at(count / 2 - 1), at(count / 2));
}

}  // namespace foretell::timeline
