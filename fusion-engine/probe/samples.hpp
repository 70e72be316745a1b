// SPDX-License-Identifier: Apache-2.0
// Repeated timings -> a constant with an interval.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/cost/device_table.hpp"
#include "fusion-engine/runtime/machine_state.hpp"
#include "src/base/result.hpp"

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

// Takes samples and leaves out those that something disturbed, as runtime::measure() does. The machine's
// counters are read between stretches of about a millisecond, since reading them takes longer than a short
// sample: a disturbed stretch is left out whole.
class Sampler {
 public:
  explicit Sampler(runtime::MachineState& machine) : machine_(machine) {}

  // What `sample` returns, again and again, after one call whose result is left out (it warms up). Where
  // twice the budget leaves fewer than `least` undisturbed ones, the disturbed ones stand in for them: a
  // constant of a busy machine is better than none, and counted. Errors: the first of `sample`.
  Result<std::vector<double>> take(const std::function<Result<double>()>& sample,
                                   const SampleLimits& limits = {});

  // The same as a constant.
  Result<ProbedConstant> constant(std::string_view name, std::string_view unit,
                                  const std::function<Result<double>()>& sample, std::string source,
                                  const SampleLimits& limits = {});

  // Of all take()s so far; rejected ones are among those taken.
  [[nodiscard]] std::int64_t taken() const { return taken_; }
  [[nodiscard]] std::int64_t rejected() const { return rejected_; }

 private:
  runtime::MachineState& machine_;
  std::int64_t taken_ = 0;
  std::int64_t rejected_ = 0;
};

}  // namespace foretell::probe
