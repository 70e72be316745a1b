// SPDX-License-Identifier: Apache-2.0
// Walks through the plan step by step with a map of what lies where, so it shares no idea with how places are
// found.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <string>

#include "fusion-engine/passes/memory_lifetimes.hpp"
#include "fusion-engine/passes/memory_plan.hpp"

namespace foretell::passes {
namespace {

std::unexpected<Error> fault(std::string message) {
  return fail(ErrorCode::BadInput, "memory plan", std::move(message));
}

Result<void> check_order(const MemoryProblem& problem, const MemoryPlan& plan) {
  const std::size_t steps = problem.steps.size();
  if (plan.order.size() != steps) {
    return fault(fmt::format("expected {} steps, found {}", steps, plan.order.size()));
  }
  std::vector<bool> has_run(steps, false);
  std::vector<bool> written(problem.buffer_bytes.size(), false);
  for (const std::size_t index : plan.order) {
    if (index >= steps || has_run[index]) {
      return fault(fmt::format("step {} is no step or runs twice", index));
    }
    has_run[index] = true;
    const MemoryStep& step = problem.steps[index];
    if (!std::ranges::all_of(step.reads, [&](std::size_t buffer) { return written[buffer]; })) {
      return fault(fmt::format("step {} reads what is not written yet", index));
    }
    if (!std::ranges::all_of(step.after, [&](std::size_t before) { return has_run[before]; })) {
      return fault(fmt::format("step {} runs before one that must come before it", index));
    }
    for (const std::size_t buffer : step.writes) {
      written[buffer] = true;
    }
  }
  return {};
}

// By buffer, whether it is in place of another.
Result<std::vector<bool>> check_in_place(const MemoryProblem& problem, const MemoryPlan& plan,
                                         std::span<const Lifetime> lifetimes) {
  std::vector<bool> has_place(problem.buffer_bytes.size(), false);
  std::vector<bool> given_away(problem.buffer_bytes.size(), false);
  for (const auto& [write, read] : plan.in_place) {
    if (write >= has_place.size() || read >= has_place.size() || has_place[write] || given_away[read]) {
      return fault(
          fmt::format("buffer {} in place of {}: one of them is no buffer or in two pairs", write, read));
    }
    has_place[write] = true;
    given_away[read] = true;
    const MemoryStep& step = problem.steps[plan.order[lifetimes[write].first]];
    const bool is_allowed = std::ranges::any_of(step.in_place, [&](const MemoryStep::InPlace& pair) {
      return pair.write == write && pair.read == read;
    });
    if (!is_allowed || problem.kept[read] || lifetimes[read].last != lifetimes[write].first ||
        problem.buffer_bytes[write] > problem.buffer_bytes[read]) {
      return fault(fmt::format("buffer {} must not be in place of {}", write, read));
    }
    if (plan.offsets[write] != plan.offsets[read]) {
      return fault(fmt::format("buffer {} is in place of {}, but lies elsewhere", write, read));
    }
  }
  return has_place;
}

// What lies where at one moment.
class Arena {
 public:
  Arena(std::int64_t bytes, std::int64_t alignment) : bytes_(bytes), alignment_(alignment) {}

  Result<void> take(std::int64_t offset, std::int64_t bytes, const std::string& name) {
    if (offset < 0 || offset % alignment_ != 0 || bytes > bytes_ || offset > bytes_ - bytes) {
      return fault(
          fmt::format("{}: {} bytes at {} are outside the arena or not aligned", name, bytes, offset));
    }
    if (bytes == 0) {
      return {};
    }
    const auto after = taken_.lower_bound(offset);
    if ((after != taken_.end() && after->first < offset + bytes) ||
        (after != taken_.begin() && std::prev(after)->second > offset)) {
      return fault(fmt::format("{}: {} bytes at {} overlap with what is live", name, bytes, offset));
    }
    taken_.emplace(offset, offset + bytes);
    return {};
  }

  void release(std::int64_t offset, std::int64_t bytes) {
    if (bytes > 0) {
      taken_.erase(offset);
    }
  }

 private:
  std::int64_t bytes_;
  std::int64_t alignment_;
  std::map<std::int64_t, std::int64_t> taken_;  // offset -> end
};

}  // namespace

Result<void> check_memory_plan(const MemoryProblem& problem, const MemoryPlan& plan,
                               const MemoryPlanOptions& options) {
  FORETELL_RETURN_IF_ERROR(check_order(problem, plan));
  if (plan.offsets.size() != problem.buffer_bytes.size() ||
      plan.scratch_offsets.size() != problem.steps.size()) {
    return fault("expected an offset for every buffer and every step");
  }
  const std::vector<Lifetime> lifetimes = lifetimes_of(problem, plan.order);
  FORETELL_ASSIGN_OR_RETURN(const std::vector<bool> has_place, check_in_place(problem, plan, lifetimes));
  Arena arena(plan.arena_bytes, options.alignment);
  const auto take = [&](std::size_t buffer) {
    return arena.take(plan.offsets[buffer], problem.buffer_bytes[buffer], fmt::format("buffer {}", buffer));
  };
  for (std::size_t position = 0; position < plan.order.size(); ++position) {
    const MemoryStep& step = problem.steps[plan.order[position]];
    const std::int64_t scratch = plan.scratch_offsets[plan.order[position]];
    const auto release_if_dead = [&](std::size_t buffer) {
      if (lifetimes[buffer].last == position) {
        arena.release(plan.offsets[buffer], problem.buffer_bytes[buffer]);
      }
    };
    for (const std::size_t buffer : step.writes) {
      if (!has_place[buffer]) {
        FORETELL_RETURN_IF_ERROR(take(buffer));
      }
    }
    FORETELL_RETURN_IF_ERROR(
        arena.take(scratch, step.scratch_bytes, fmt::format("scratch of step {}", plan.order[position])));
    arena.release(scratch, step.scratch_bytes);
    std::ranges::for_each(step.reads, release_if_dead);
    // Only now: while the step runs, the whole of what was read is in use.
    for (const std::size_t buffer : step.writes) {
      if (has_place[buffer]) {
        FORETELL_RETURN_IF_ERROR(take(buffer));
      }
    }
    std::ranges::for_each(step.writes, release_if_dead);
  }
  return {};
}

}  // namespace foretell::passes
