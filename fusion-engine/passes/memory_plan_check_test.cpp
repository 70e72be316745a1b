// SPDX-License-Identifier: Apache-2.0
// Plans that are wrong in one way.
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "fusion-engine/passes/memory_cases.hpp"
#include "fusion-engine/passes/memory_plan.hpp"

namespace foretell::passes {
namespace {

// a, then b in place of a, then c of b and a scratch; c is kept.
MemoryProblem problem() {
  test::ProblemBuilder builder;
  const std::size_t a = builder.add({}, 100);
  const std::size_t b = builder.add({a}, 100, {.in_place = true});
  builder.keep(builder.add({b}, 100, {.scratch_bytes = 10, .after = {0}}));
  return builder.take();
}

struct Case {
  std::string name;
  std::function<void(MemoryPlan&)> spoil;
  std::string message;
};

class MemoryPlanCheck : public testing::TestWithParam<Case> {};

TEST_P(MemoryPlanCheck, NamesTheFault) {
  MemoryPlan plan = plan_memory(problem());
  ASSERT_TRUE(check_memory_plan(problem(), plan).has_value());
  GetParam().spoil(plan);
  const Result<void> checked = check_memory_plan(problem(), plan);
  ASSERT_FALSE(checked.has_value());
  EXPECT_EQ(checked.error().message, GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    Faults, MemoryPlanCheck,
    testing::Values(
        Case{"order_too_short", [](MemoryPlan& plan) { plan.order.pop_back(); }, "expected 3 steps, found 2"},
        Case{"step_twice", [](MemoryPlan& plan) { plan.order[1] = 0; }, "step 0 is no step or runs twice"},
        Case{"reads_too_early", [](MemoryPlan& plan) { std::swap(plan.order[0], plan.order[1]); },
             "step 1 reads what is not written yet"},
        Case{"offsets_missing", [](MemoryPlan& plan) { plan.offsets.clear(); },
             "expected an offset for every buffer and every step"},
        Case{"pair_twice", [](MemoryPlan& plan) { plan.in_place.push_back(plan.in_place.front()); },
             "buffer 1 in place of 0: one of them is no buffer or in two pairs"},
        Case{"pair_not_allowed", [](MemoryPlan& plan) { plan.in_place.emplace_back(2, 1); },
             "buffer 2 must not be in place of 1"},
        Case{"pair_apart", [](MemoryPlan& plan) { plan.offsets[1] += 64; },
             "buffer 1 is in place of 0, but lies elsewhere"},
        Case{"pair_forgotten", [](MemoryPlan& plan) { plan.in_place.clear(); },
             "buffer 1: 100 bytes at 0 overlap with what is live"},
        Case{"overlap", [](MemoryPlan& plan) { plan.offsets[2] = plan.offsets[1] + 64; },
             "buffer 2: 100 bytes at 64 overlap with what is live"},
        Case{"scratch_overlaps", [](MemoryPlan& plan) { plan.scratch_offsets[2] = plan.offsets[1]; },
             "scratch of step 2: 10 bytes at 0 overlap with what is live"},
        Case{"not_aligned", [](MemoryPlan& plan) { plan.offsets[2] += 1; },
             "buffer 2: 100 bytes at 129 are outside the arena or not aligned"},
        Case{"outside", [](MemoryPlan& plan) { plan.arena_bytes = 128; },
             "buffer 2: 100 bytes at 128 are outside the arena or not aligned"}),
    [](const auto& row) { return row.param.name; });

TEST(MemoryPlanCheckOrder, HoldsStepsBehindOthers) {
  test::ProblemBuilder builder;
  builder.add_update({});
  builder.add_update({}, {.after = {0}});
  const MemoryProblem two = builder.take();
  MemoryPlan plan = plan_memory(two);
  plan.order = {1, 0};
  const Result<void> checked = check_memory_plan(two, plan);
  ASSERT_FALSE(checked.has_value());
  EXPECT_EQ(checked.error().message, "step 1 runs before one that must come before it");
}

}  // namespace
}  // namespace foretell::passes
