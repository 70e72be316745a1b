// SPDX-License-Identifier: Apache-2.0
// Problems that resemble what workloads need, for tests of the memory plan.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "fusion-engine/passes/memory_plan.hpp"

namespace foretell::passes::test {

struct StepExtra {
  std::int64_t scratch_bytes = 0;
  bool in_place = false;  // the result may be in place of anything that is read
  std::vector<std::size_t> after = {};
};

// Steps in the order in which they are added.
class ProblemBuilder {
 public:
  // Adds a step with one result and returns that buffer.
  std::size_t add(std::vector<std::size_t> reads, std::int64_t bytes, StepExtra extra = {});
  // Adds a step whose results are elsewhere, as those of an optimizer are.
  void add_update(std::vector<std::size_t> reads, StepExtra extra = {});
  void keep(std::size_t buffer) { problem_.kept[buffer] = true; }

  [[nodiscard]] std::size_t last_step() const { return problem_.steps.size() - 1; }
  [[nodiscard]] MemoryProblem take() { return std::move(problem_); }

 private:
  MemoryProblem problem_;
};

// Forward, backward with the activations that it needs, then all optimizer steps, as eager training has them.
MemoryProblem training(int layers, std::int64_t activation_bytes, std::int64_t weight_bytes);

// Two convolutions at each level on the way down and up, the way down kept for the way up.
MemoryProblem u_net(int levels, std::int64_t image_bytes, std::int64_t channels);

// One token through a transformer; the caches are states.
MemoryProblem decode(int layers, std::int64_t hidden_bytes, std::int64_t context, std::int64_t vocabulary);

// Many small intermediates of assorted sizes, some of which are read much later.
MemoryProblem churn(int steps, std::uint64_t seed);

// Sizes over six decades, in place, scratch, orders beside data flow.
MemoryProblem random_dag(int steps, std::uint64_t seed);

}  // namespace foretell::passes::test
