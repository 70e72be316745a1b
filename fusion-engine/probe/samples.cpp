// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/probe/samples.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "src/base/check.hpp"

namespace foretell::probe {

double quantile(const std::vector<double>& sorted, double q) {
  FORETELL_CHECK(!sorted.empty());
  const double position = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (position - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

ProbedConstant constant_of(std::string_view name, std::string_view unit, std::vector<double> samples,
                           std::string source) {
  std::ranges::sort(samples);
  return {.constant = {.name = std::string(name),
                       .unit = std::string(unit),
                       .low = quantile(samples, 0.1),
                       .expected = quantile(samples, 0.5),
                       .high = quantile(samples, 0.9),
                       .provenance = Provenance::Probed,
                       .source = std::move(source)},
          .samples = static_cast<std::int64_t>(samples.size())};
}

std::vector<double> take_samples(const std::function<double()>& sample, const SampleLimits& limits) {
  sample();
  std::vector<double> samples;
  const std::int64_t end = now_ns() + limits.budget_ns;
  while (samples.size() < limits.most && (samples.size() < limits.least || now_ns() < end)) {
    samples.push_back(sample());
  }
  return samples;
}

std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace foretell::probe
