// SPDX-License-Identifier: Apache-2.0
// What every plan must be, on problems like those of workloads and on random ones, and how near it comes to
// the best.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <set>
#include <string>

#include "fusion-engine/passes/memory_cases.hpp"
#include "fusion-engine/passes/memory_lifetimes.hpp"
#include "fusion-engine/passes/memory_plan.hpp"
#include "fusion-engine/passes/memory_problem.hpp"

namespace foretell::passes {
namespace {

using test::churn;
using test::random_dag;

struct Named {
  std::string name;
  MemoryProblem problem;
};

struct Range {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::size_t buffer = 0;  // scratch: the number of buffers
};

// By definition, one position after another: what is live there, and where.
class NaiveWalk {
 public:
  NaiveWalk(const MemoryProblem& problem, const MemoryPlan& plan) : problem_(problem), plan_(plan) {
    for (const auto& pair : plan.in_place) {
      pairs_.insert(pair);
    }
  }

  void check_all() {
    for (std::size_t position = 0; position < plan_.order.size(); ++position) {
      check_at(position);
    }
  }

  [[nodiscard]] std::int64_t max_live_bytes() const { return max_live_bytes_; }

 private:
  [[nodiscard]] bool is_live(std::size_t buffer, std::size_t position) const {
    const auto writes = [&](std::size_t step) {
      return std::ranges::count(problem_.steps[step].writes, buffer) > 0;
    };
    const auto reads = [&](std::size_t step) {
      return std::ranges::count(problem_.steps[step].reads, buffer) > 0;
    };
    const auto here = plan_.order.begin() + static_cast<std::ptrdiff_t>(position);
    return std::any_of(plan_.order.begin(), here + 1, writes) &&
           (writes(*here) || problem_.kept[buffer] || std::any_of(here, plan_.order.end(), reads));
  }

  void check_at(std::size_t position) {
    const std::size_t step = plan_.order[position];
    std::vector<Range> live;
    std::int64_t bytes = 0;
    for (std::size_t buffer = 0; buffer < problem_.buffer_bytes.size(); ++buffer) {
      if (is_live(buffer, position)) {
        live.push_back({.begin = plan_.offsets[buffer],
                        .end = plan_.offsets[buffer] + problem_.buffer_bytes[buffer],
                        .buffer = buffer});
        bytes += problem_.buffer_bytes[buffer];
      }
    }
    for (const auto& [write, read] : pairs_) {
      if (std::ranges::count(problem_.steps[step].writes, write) > 0) {
        bytes -= problem_.buffer_bytes[write];
      }
    }
    bytes += problem_.steps[step].scratch_bytes;
    live.push_back({.begin = plan_.scratch_offsets[step],
                    .end = plan_.scratch_offsets[step] + problem_.steps[step].scratch_bytes,
                    .buffer = problem_.buffer_bytes.size()});
    max_live_bytes_ = std::max(max_live_bytes_, bytes);
    for (const Range& range : live) {
      EXPECT_GE(range.begin, 0);
      EXPECT_LE(range.end, plan_.arena_bytes);
      EXPECT_EQ(range.begin % MemoryPlanOptions{}.alignment, 0);
    }
    for (std::size_t i = 0; i < live.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const bool meet = live[i].begin < live[j].end && live[j].begin < live[i].end;
        const bool is_pair = pairs_.contains({live[i].buffer, live[j].buffer}) ||
                             pairs_.contains({live[j].buffer, live[i].buffer});
        EXPECT_TRUE(!meet || is_pair)
            << "buffers " << live[i].buffer << " and " << live[j].buffer << " at step " << step;
      }
    }
  }

  const MemoryProblem& problem_;
  const MemoryPlan& plan_;
  std::set<std::pair<std::size_t, std::size_t>> pairs_;  // (write, read)
  std::int64_t max_live_bytes_ = 0;
};

TEST(MemoryPlanProperty, NothingThatIsLiveOverlaps) {
  std::vector<Named> all{{"training", test::training(6, 100'000, 300'000)},
                         {"u_net", test::u_net(5, 1 << 16, 24)},
                         {"decode", test::decode(3, 8192, 700, 32'000)}};
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    all.push_back({"churn " + std::to_string(seed), churn(60, seed)});
    all.push_back({"random_dag " + std::to_string(seed), random_dag(60, seed)});
  }
  for (const auto& [name, problem] : all) {
    SCOPED_TRACE(name);
    const MemoryPlan plan = plan_memory(problem);
    const Result<void> checked = check_memory_plan(problem, plan);
    EXPECT_TRUE(checked.has_value()) << checked.error().message;
    NaiveWalk(problem, plan).check_all();
    // Figures are those of rounded sizes.
    const MemoryProblem rounded = prepared(problem, {});
    NaiveWalk of_rounded(rounded, plan);
    of_rounded.check_all();
    EXPECT_EQ(of_rounded.max_live_bytes(), plan.max_live_bytes);
    EXPECT_GE(plan.arena_bytes, plan.max_live_bytes);
    EXPECT_LE(plan.max_live_bytes, plan.given_peak_bytes);
  }
}

TEST(MemoryPlanProperty, ChoicesOnlyEverHelp) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    const MemoryProblem problem = random_dag(80, seed);
    const MemoryPlan plan = plan_memory(problem);
    const MemoryPlan given = plan_memory(problem, {.reorder = false});
    EXPECT_EQ(given.order_name, "given");
    EXPECT_EQ(given.orders.size(), 1);
    EXPECT_LE(plan.arena_bytes, given.arena_bytes);
    EXPECT_LE(given.max_live_bytes, given.given_peak_bytes);
    const MemoryPlan plain = plan_memory(problem, {.reorder = false, .in_place = false});
    EXPECT_EQ(plain.max_live_bytes, plain.given_peak_bytes);
    EXPECT_LE(given.max_live_bytes, plain.max_live_bytes);
  }
}

TEST(MemoryPlanProperty, SameProblemSamePlan) {
  const MemoryProblem problem = random_dag(300, 5);
  const MemoryPlan once = plan_memory(problem);
  const MemoryPlan twice = plan_memory(problem);
  EXPECT_EQ(once.order, twice.order);
  EXPECT_EQ(once.offsets, twice.offsets);
  EXPECT_EQ(once.scratch_offsets, twice.scratch_offsets);
}

// The least that any legal order needs.
class BestOrder {
 public:
  explicit BestOrder(const MemoryProblem& problem)
      : problem_(problem), has_run_(problem.steps.size(), false) {
    go_on();
  }

  [[nodiscard]] std::int64_t max_live_bytes() const { return best_; }

 private:
  [[nodiscard]] bool may_run(std::size_t step) const {
    const auto has_writer = [&](std::size_t buffer) {
      return std::ranges::any_of(order_, [&](std::size_t other) {
        return std::ranges::count(problem_.steps[other].writes, buffer) > 0;
      });
    };
    return !has_run_[step] && std::ranges::all_of(problem_.steps[step].reads, has_writer) &&
           std::ranges::all_of(problem_.steps[step].after,
                               [&](std::size_t before) { return has_run_[before]; });
  }

  void go_on() {
    if (order_.size() == has_run_.size()) {
      const std::vector<Lifetime> lifetimes = lifetimes_of(problem_, order_);
      const auto blocks =
          blocks_of(problem_, order_, lifetimes, choose_in_place(problem_, order_, lifetimes));
      best_ = std::min(best_, std::ranges::max(live_bytes(blocks, order_.size())));
      return;
    }
    for (std::size_t step = 0; step < has_run_.size(); ++step) {
      if (may_run(step)) {
        has_run_[step] = true;
        order_.push_back(step);
        go_on();
        order_.pop_back();
        has_run_[step] = false;
      }
    }
  }

  const MemoryProblem& problem_;
  std::vector<bool> has_run_;
  std::vector<std::size_t> order_;
  std::int64_t best_ = std::numeric_limits<std::int64_t>::max();
};

TEST(MemoryPlanProperty, SmallProblemsGetTheBestOrder) {
  int best = 0;
  constexpr int kProblems = 200;
  for (std::uint64_t seed = 0; seed < kProblems; ++seed) {
    SCOPED_TRACE(seed);
    const MemoryProblem problem = seed % 2 == 0 ? random_dag(8, seed) : churn(8, seed);
    const std::int64_t least = BestOrder(prepared(problem, {})).max_live_bytes();
    const MemoryPlan plan = plan_memory(problem);
    EXPECT_GE(plan.max_live_bytes, least);
    best += plan.max_live_bytes == least ? 1 : 0;
  }
  // One of them would take two moves at once.
  EXPECT_GE(best, kProblems - 1);
}

}  // namespace
}  // namespace foretell::passes
