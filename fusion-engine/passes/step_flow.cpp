// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/passes/step_flow.hpp"

namespace foretell::passes {

StepFlow flow_of(const MemoryProblem& problem) {
  std::vector<std::size_t> writer(problem.buffer_bytes.size());
  StepFlow flow;
  flow.before.resize(problem.steps.size());
  flow.behind.resize(problem.steps.size());
  for (std::size_t step = 0; step < problem.steps.size(); ++step) {
    for (const std::size_t buffer : problem.steps[step].reads) {
      flow.before[step].push_back(writer[buffer]);
    }
    for (const std::size_t before : problem.steps[step].after) {
      flow.before[step].push_back(before);
    }
    for (const std::size_t before : flow.before[step]) {
      flow.behind[before].push_back(step);
    }
    for (const std::size_t buffer : problem.steps[step].writes) {
      writer[buffer] = step;
    }
  }
  return flow;
}

}  // namespace foretell::passes
