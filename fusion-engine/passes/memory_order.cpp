// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/passes/memory_order.hpp"

#include <array>
#include <limits>

#include "fusion-engine/passes/memory_order_greedy.hpp"

namespace foretell::passes {
namespace {

// What became ready first runs first.
std::vector<std::size_t> breadth_first(const StepFlow& flow) {
  std::vector<std::size_t> waits_for;
  std::vector<std::size_t> order;
  for (std::size_t step = 0; step < flow.before.size(); ++step) {
    waits_for.push_back(flow.before[step].size());
    if (waits_for[step] == 0) {
      order.push_back(step);
    }
  }
  for (std::size_t done = 0; done < order.size(); ++done) {
    for (const std::size_t next : flow.behind[order[done]]) {
      if (--waits_for[next] == 0) {
        order.push_back(next);
      }
    }
  }
  return order;
}

// A step runs when the first that needs it is looked at; steps that nothing needs in the given order.
std::vector<std::size_t> depth_first(const StepFlow& flow) {
  std::vector<std::size_t> order;
  std::vector<std::size_t> looked_at(flow.before.size(), 0);  // by step: number of those before it
  std::vector<bool> is_open(flow.before.size(), false);
  for (std::size_t sink = 0; sink < flow.before.size(); ++sink) {
    if (!flow.behind[sink].empty()) {
      continue;
    }
    std::vector<std::size_t> open{sink};
    while (!open.empty()) {
      const std::size_t step = open.back();
      if (looked_at[step] == flow.before[step].size()) {
        order.push_back(step);
        open.pop_back();
        continue;
      }
      const std::size_t before = flow.before[step][looked_at[step]++];
      if (!is_open[before]) {
        is_open[before] = true;
        open.push_back(before);
      }
    }
  }
  return order;
}
std::int64_t left_by(const StepEffect& effect) { return effect.begins_bytes - effect.ends_bytes; }
std::int64_t peak_of(const StepEffect& effect) { return effect.begins_bytes + effect.scratch_bytes; }

StepKey least_left(const StepEffect& effect) { return {left_by(effect), peak_of(effect)}; }
StepKey least_peak(const StepEffect& effect) { return {peak_of(effect), left_by(effect)}; }

// What leaves no more than before, the least peak first; else what falls most from its peak to what it
// leaves. For a tree whose steps were put together to rising segments that is the best order (Liu, An
// application of generalized tree pebbling to sparse matrix factorization, SIAM J. Alg. Disc. Meth. 8, 1987);
// here of single steps.
StepKey largest_fall(const StepEffect& effect) {
  const std::int64_t left = left_by(effect);
  return left <= 0 ? StepKey{std::numeric_limits<std::int64_t>::min(), peak_of(effect)}
                   : StepKey{left - peak_of(effect), 0};
}

struct GreedyRow {
  std::string_view name;
  Direction direction;
  StepKey (*key_of)(const StepEffect&);
};

constexpr std::array kGreedy{
    GreedyRow{"least-peak-first", Direction::Forward, least_peak},
    GreedyRow{"least-left-first", Direction::Forward, least_left},
    GreedyRow{"largest-fall-first", Direction::Forward, largest_fall},
    GreedyRow{"least-peak-last", Direction::Backward, least_peak},
    GreedyRow{"least-left-last", Direction::Backward, least_left},
};

}  // namespace

std::vector<NamedOrder> candidate_orders(const MemoryProblem& problem, const StepFlow& flow) {
  std::vector<NamedOrder> orders{{.name = "breadth-first", .order = breadth_first(flow)},
                                 {.name = "depth-first", .order = depth_first(flow)}};
  for (const auto& [name, direction, key_of] : kGreedy) {
    orders.push_back({.name = name, .order = greedy_order(problem, flow, direction, key_of)});
  }
  return orders;
}

}  // namespace foretell::passes
