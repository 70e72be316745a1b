// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/passes/memory_problem.hpp"

#include <algorithm>
#include <limits>
#include <span>
#include <tuple>

#include "src/base/check.hpp"
#include "src/base/saturate.hpp"

namespace foretell::passes {
namespace {

bool has(std::span<const std::size_t> all, std::size_t one) {
  return std::ranges::find(all, one) != all.end();
}

bool is_set(std::vector<std::size_t> all) {
  std::ranges::sort(all);
  return std::ranges::adjacent_find(all) == all.end();
}

}  // namespace

void require_legal(const MemoryProblem& problem) {
  FORETELL_CHECK(problem.kept.size() == problem.buffer_bytes.size());
  std::vector<bool> written(problem.buffer_bytes.size(), false);
  for (std::size_t index = 0; index < problem.steps.size(); ++index) {
    const MemoryStep& step = problem.steps[index];
    FORETELL_CHECK(step.scratch_bytes >= 0);
    FORETELL_CHECK(std::ranges::all_of(step.after, [&](std::size_t before) { return before < index; }));
    FORETELL_CHECK(is_set(step.reads));
    for (const std::size_t buffer : step.reads) {
      FORETELL_CHECK(buffer < written.size() && written[buffer]);
    }
    for (const std::size_t buffer : step.writes) {
      FORETELL_CHECK(buffer < written.size() && !written[buffer] && problem.buffer_bytes[buffer] >= 0);
      written[buffer] = true;
    }
    for (const auto& [read, write] : step.in_place) {
      FORETELL_CHECK(has(step.reads, read) && has(step.writes, write));
    }
  }
  FORETELL_CHECK(std::ranges::all_of(written, [](bool is_written) { return is_written; }));
}

MemoryProblem prepared(const MemoryProblem& problem, const MemoryPlanOptions& options) {
  FORETELL_CHECK(options.alignment > 0);
  const auto round_up = [&](std::int64_t& bytes) {
    if (const std::int64_t over = bytes % options.alignment; over != 0) {
      add_saturated(bytes, options.alignment - over);
    }
  };
  MemoryProblem result = problem;
  const auto bytes = [&](std::size_t buffer) { return problem.buffer_bytes[buffer]; };
  for (MemoryStep& step : result.steps) {
    round_up(step.scratch_bytes);
    std::erase_if(step.in_place, [&](const MemoryStep::InPlace& pair) {
      return !options.in_place || problem.kept[pair.read] || bytes(pair.write) > bytes(pair.read);
    });
    std::ranges::sort(step.in_place, {}, [&](const MemoryStep::InPlace& pair) {
      return std::tuple(-bytes(pair.write), pair.write, bytes(pair.read), pair.read);
    });
  }
  std::ranges::for_each(result.buffer_bytes, round_up);
  return result;
}

bool fits_in_int64(const MemoryProblem& problem) {
  std::int64_t all = 0;
  for (const std::int64_t bytes : problem.buffer_bytes) {
    add_saturated(all, bytes);
  }
  for (const MemoryStep& step : problem.steps) {
    add_saturated(all, step.scratch_bytes);
  }
  return all < std::numeric_limits<std::int64_t>::max();
}

}  // namespace foretell::passes
