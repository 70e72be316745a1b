// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/passes/memory_plan.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <span>

#include "fusion-engine/passes/memory_lifetimes.hpp"
#include "fusion-engine/passes/memory_offsets.hpp"
#include "fusion-engine/passes/memory_order.hpp"
#include "fusion-engine/passes/memory_order_search.hpp"
#include "fusion-engine/passes/memory_problem.hpp"
#include "fusion-engine/passes/step_flow.hpp"
#include "src/base/check.hpp"

namespace foretell::passes {
namespace {

// Steps and readers looked at while an order is improved. Up to about two hundred steps more was seen to
// change nothing, above it more would be better and takes longer: 2^22 are a few hundredths of a second.
std::int64_t order_budget(std::size_t steps) {
  constexpr std::int64_t kMost = std::int64_t{1} << 22;
  constexpr std::int64_t kPerPair = 128;
  const auto count = static_cast<std::int64_t>(std::min<std::size_t>(steps, kMost));
  return std::min(kMost, kPerPair * count * count);
}

// An order with what follows from it.
struct Arrangement {
  NamedOrder named;
  std::vector<Lifetime> lifetimes;
  std::vector<std::pair<std::size_t, std::size_t>> in_place;
  std::vector<MemoryBlock> blocks;
  std::int64_t max_live_bytes = 0;
};

std::int64_t max_live_of(std::span<const MemoryBlock> blocks, std::size_t positions) {
  const std::vector<std::int64_t> live = live_bytes(blocks, positions);
  return live.empty() ? 0 : std::ranges::max(live);
}

Arrangement arrange(const MemoryProblem& problem, NamedOrder named) {
  Arrangement result{.named = std::move(named), .lifetimes = {}, .in_place = {}, .blocks = {}};
  const std::vector<std::size_t>& order = result.named.order;
  result.lifetimes = lifetimes_of(problem, order);
  result.in_place = choose_in_place(problem, order, result.lifetimes);
  result.blocks = blocks_of(problem, order, result.lifetimes, result.in_place);
  result.max_live_bytes = max_live_of(result.blocks, order.size());
  return result;
}

// Chains of buffers in place of each other are long, and so hard to place. Where that costs memory, only the
// pairs are left without which more would be live.
MemoryLayout place(const MemoryProblem& problem, Arrangement& arrangement) {
  const std::int64_t max_live_bytes = arrangement.max_live_bytes;
  MemoryLayout layout = place_blocks(arrangement.blocks, max_live_bytes, Effort::Sequences);
  if (layout.arena_bytes <= good_enough_bytes(max_live_bytes)) {
    return layout;
  }
  Arrangement loose = arrangement;
  loose.in_place = needed_in_place(problem, loose.lifetimes, loose.in_place,
                                   live_bytes(loose.blocks, loose.named.order.size()), max_live_bytes);
  loose.blocks = blocks_of(problem, loose.named.order, loose.lifetimes, loose.in_place);
  MemoryLayout of_loose = place_blocks(loose.blocks, max_live_bytes, Effort::Search);
  if (of_loose.arena_bytes < layout.arena_bytes) {
    arrangement = std::move(loose);
    layout = std::move(of_loose);
  }
  return layout;
}

std::int64_t peak_of_eager(const MemoryProblem& problem, std::span<const std::size_t> given) {
  return max_live_of(blocks_of(problem, given, lifetimes_of(problem, given), {}), given.size());
}

// Less is live than in the given order, or it is the given order.
Arrangement best_of_orders(const MemoryProblem& problem, const Arrangement& given,
                           std::vector<OrderPeak>& seen) {
  const StepFlow flow = flow_of(problem);
  Arrangement best = given;
  const auto consider = [&](NamedOrder named) {
    Arrangement candidate = arrange(problem, std::move(named));
    seen.push_back({.name = candidate.named.name, .max_live_bytes = candidate.max_live_bytes});
    if (candidate.max_live_bytes < best.max_live_bytes) {
      best = std::move(candidate);
    }
  };
  for (NamedOrder& named : candidate_orders(problem, flow)) {
    consider(std::move(named));
  }
  consider({.name = "local-search",
            .order = improve_order(problem, flow, best.named.order, order_budget(problem.steps.size()))});
  return best;
}

void note_layout(const MemoryLayout& layout, Arrangement arrangement, MemoryPlan& plan) {
  for (std::size_t i = 0; i < arrangement.blocks.size(); ++i) {
    const MemoryBlock& block = arrangement.blocks[i];
    for (const std::size_t buffer : block.buffers) {
      plan.offsets[buffer] = layout.offsets[i];
    }
    if (block.buffers.empty()) {
      plan.scratch_offsets[block.step] = layout.offsets[i];
    }
  }
  plan.order = std::move(arrangement.named.order);
  plan.order_name = arrangement.named.name;
  plan.in_place = std::move(arrangement.in_place);
  plan.arena_bytes = layout.arena_bytes;
  plan.max_live_bytes = arrangement.max_live_bytes;
}

}  // namespace

MemoryPlan plan_memory(const MemoryProblem& problem, const MemoryPlanOptions& options) {
  require_legal(problem);
  const MemoryProblem sized = prepared(problem, options);
  MemoryPlan plan;
  plan.order.resize(problem.steps.size());
  std::iota(plan.order.begin(), plan.order.end(), 0);
  plan.order_name = "given";
  plan.offsets.resize(problem.buffer_bytes.size(), 0);
  plan.scratch_offsets.resize(problem.steps.size(), 0);
  if (!fits_in_int64(sized)) {
    constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();
    plan.arena_bytes = plan.max_live_bytes = plan.given_peak_bytes = kLargest;
    plan.orders = {{.name = plan.order_name, .max_live_bytes = kLargest}};
    return plan;
  }
  plan.given_peak_bytes = peak_of_eager(sized, plan.order);

  Arrangement given = arrange(sized, {.name = plan.order_name, .order = plan.order});
  plan.orders = {{.name = plan.order_name, .max_live_bytes = given.max_live_bytes}};
  Arrangement best = options.reorder ? best_of_orders(sized, given, plan.orders) : given;
  MemoryLayout layout = place(sized, best);
  // Less that is live may be harder to place.
  if (layout.arena_bytes > given.max_live_bytes) {
    MemoryLayout of_given = place(sized, given);
    if (of_given.arena_bytes <= layout.arena_bytes) {
      best = std::move(given);
      layout = std::move(of_given);
    }
  }
  note_layout(layout, std::move(best), plan);
  return plan;
}

}  // namespace foretell::passes
