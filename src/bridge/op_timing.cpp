// SPDX-License-Identifier: Apache-2.0
#include "src/bridge/op_timing.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "fusion-engine/runtime/clock.hpp"
#include "src/base/check.hpp"

namespace foretell::bridge {

std::vector<runtime::OpTime> median_times(std::span<const std::vector<runtime::OpTime>> steps) {
  FORETELL_CHECK(!steps.empty());
  std::vector<runtime::OpTime> times = steps.front();
  const auto median = [&](std::size_t op, std::int64_t runtime::OpTime::* time) {
    std::vector<std::int64_t> values;
    for (const std::vector<runtime::OpTime>& step : steps) {
      FORETELL_CHECK(step.size() == times.size());
      values.push_back(step[op].*time);
    }
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::ranges::nth_element(values, middle);
    return *middle;
  };
  for (std::size_t op = 0; op < times.size(); ++op) {
    times[op].device_ns = median(op, &runtime::OpTime::device_ns);
    times[op].host_ns = median(op, &runtime::OpTime::host_ns);
  }
  return times;
}

Result<std::vector<runtime::OpTime>> median_op_times(runtime::Executor& executor) {
  constexpr std::size_t kOpSteps = 9;  // a median that three disturbed steps do not move far
  constexpr std::int64_t kBudgetNs = 200'000'000;
  std::vector<std::vector<runtime::OpTime>> steps;
  const std::int64_t end = runtime::now_ns() + kBudgetNs;
  FORETELL_RETURN_IF_ERROR(executor.time_ops());
  do {
    FORETELL_ASSIGN_OR_RETURN(auto times, executor.time_ops());
    steps.push_back(std::move(times));
  } while (steps.size() < kOpSteps && runtime::now_ns() < end);
  return median_times(steps);
}

}  // namespace foretell::bridge
