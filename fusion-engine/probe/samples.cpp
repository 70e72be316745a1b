// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/probe/samples.hpp"

#include <algorithm>
#include <iterator>
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

Result<std::vector<double>> Sampler::take(const std::function<Result<double>()>& sample,
                                          const SampleLimits& limits) {
  constexpr std::int64_t kStretchNs = 1'000'000;  // twenty times what reading the counters takes
  FORETELL_RETURN_IF_ERROR(sample());
  std::vector<double> kept;
  std::vector<double> disturbed;
  const std::int64_t start = machine_.now_ns();
  const auto enough = [&] {
    const std::int64_t spent_ns = machine_.now_ns() - start;
    return kept.size() >= limits.most || (spent_ns >= limits.budget_ns && kept.size() >= limits.least) ||
           (spent_ns >= 2 * limits.budget_ns && kept.size() + disturbed.size() >= limits.least);
  };
  while (!enough()) {
    const runtime::Disturbance before = machine_.disturbance_before();
    const std::int64_t end = machine_.now_ns() + kStretchNs;
    std::vector<double> stretch;
    do {
      FORETELL_ASSIGN_OR_RETURN(const double value, sample());
      stretch.push_back(value);
    } while (kept.size() + stretch.size() < limits.most && machine_.now_ns() < end);
    std::ranges::copy(stretch, std::back_inserter(machine_.disturbance_after() == before ? kept : disturbed));
  }
  taken_ += static_cast<std::int64_t>(kept.size() + disturbed.size());
  rejected_ += static_cast<std::int64_t>(disturbed.size());
  if (kept.size() < limits.least) {
    std::ranges::copy(disturbed, std::back_inserter(kept));
  }
  return kept;
}

Result<ProbedConstant> Sampler::constant(std::string_view name, std::string_view unit,
                                         const std::function<Result<double>()>& sample, std::string source,
                                         const SampleLimits& limits) {
  FORETELL_ASSIGN_OR_RETURN(std::vector<double> samples, take(sample, limits));
  return constant_of(name, unit, std::move(samples), std::move(source));
}

}  // namespace foretell::probe
