// SPDX-License-Identifier: Apache-2.0
// Repeated timings -> a constant with an interval.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/cost/device_table.hpp"

namespace foretell::probe {

// A constant of this machine. low, expected and high are the 10th, 50th and 90th percentile of its samples.
struct ProbedConstant {
  cost::Constant constant;
  std::int64_t samples = 0;
  friend bool operator==(const ProbedConstant&, const ProbedConstant&) = default;
};

// `sorted` quantile, linear between samples; `q` in [0, 1]; at least one sample.
double quantile(const std::vector<double>& sorted, double q);

// The constant of at least one sample. `source`: how it was got, one phrase.
ProbedConstant constant_of(std::string_view name, std::string_view unit, std::vector<double> samples,
                           std::string source);

struct SampleLimits {
  std::int64_t budget_ns = 50'000'000;
  std::size_t least = 5;  // also where the budget is spent
  std::size_t most = 200;
};
// What `sample` returns, again and again, after one call whose result is left out (it warms up).
std::vector<double> take_samples(const std::function<double()>& sample, const SampleLimits& limits);

// The steady clock.
std::int64_t now_ns();

}  // namespace foretell::probe
