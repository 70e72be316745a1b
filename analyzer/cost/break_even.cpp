// SPDX-License-Identifier: Apache-2.0
#include "analyzer/cost/break_even.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace foretell::cost {
namespace {

// A leading step of at least so many steady ones compiles. Judgement: compiling takes tens of steps or more,
// and what is shorter hardly moves the break-even.
constexpr double kSlowStep = 2;

}  // namespace

std::optional<double> break_even_steps(double compile_ns, double eager_step_ns, double compiled_step_ns) {
  const double saved_ns = eager_step_ns - compiled_step_ns;
  if (!(saved_ns > 0)) {  // not a number counts as not faster
    return std::nullopt;
  }
  return std::max(compile_ns, 0.0) / saved_ns;
}

std::optional<CompiledSteps> split_compiled_steps(std::span<const std::int64_t> steps_ns,
                                                  double eager_step_ns) {
  if (steps_ns.empty()) {
    return std::nullopt;
  }
  // the later half: steady even where most of a short run compiles
  std::vector<std::int64_t> later(steps_ns.begin() + static_cast<std::ptrdiff_t>(steps_ns.size() / 2),
                                  steps_ns.end());
  const auto middle = later.begin() + static_cast<std::ptrdiff_t>((later.size() - 1) / 2);
  std::ranges::nth_element(later, middle);
  CompiledSteps split{.steady_ns = *middle};
  for (const std::int64_t step : steps_ns) {
    if (static_cast<double>(step) < kSlowStep * static_cast<double>(split.steady_ns)) {
      break;
    }
    ++split.slow;
    split.compile_ns += static_cast<double>(step) - eager_step_ns;
  }
  split.compile_ns = std::max(split.compile_ns, 0.0);
  return split;
}

}  // namespace foretell::cost
