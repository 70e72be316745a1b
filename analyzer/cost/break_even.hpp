// SPDX-License-Identifier: Apache-2.0
// When does compiling pay? Quantities in, steps out; nothing is measured here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace foretell::cost {

// Steps until what each of them saves has paid for the compilation; 0 where it costs nothing. nullopt: never,
// since the compiled step is not faster.
std::optional<double> break_even_steps(double compile_ns, double eager_step_ns, double compiled_step_ns);

// A compiled run's steps in order: the first ones compile, the others are steady.
struct CompiledSteps {
  std::int64_t steady_ns = 0;  // median of the steady steps
  std::size_t slow = 0;        // leading steps that compile
  // What those took beyond so many eager steps, which would have done the same work. The break-even counts
  // the steps behind them.
  double compile_ns = 0;
};
// nullopt: no steps.
std::optional<CompiledSteps> split_compiled_steps(std::span<const std::int64_t> steps_ns,
                                                  double eager_step_ns);

}  // namespace foretell::cost
