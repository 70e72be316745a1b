// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/passes/memory_plan.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "fusion-engine/passes/memory_cases.hpp"

namespace foretell::passes {
namespace {

using test::ProblemBuilder;

MemoryPlan checked_plan(const MemoryProblem& problem, const MemoryPlanOptions& options = {}) {
  MemoryPlan plan = plan_memory(problem, options);
  const Result<void> checked = check_memory_plan(problem, plan, options);
  EXPECT_TRUE(checked.has_value()) << checked.error().message;
  return plan;
}

TEST(MemoryPlan, TakesMemoryThatIsNoLongerRead) {
  ProblemBuilder builder;
  std::size_t x = builder.add({}, 100);
  for (int i = 0; i < 10; ++i) {
    x = builder.add({x}, 100);
  }
  builder.keep(x);
  const MemoryPlan plan = checked_plan(builder.take());
  EXPECT_EQ(plan.arena_bytes, 256);
  EXPECT_EQ(plan.max_live_bytes, 256);
  EXPECT_EQ(plan.given_peak_bytes, 256);
}

TEST(MemoryPlan, PutsResultsInPlace) {
  ProblemBuilder builder;
  const std::size_t a = builder.add({}, 100);
  const std::size_t b = builder.add({a}, 100, {.in_place = true});
  const std::size_t smaller = builder.add({b}, 10, {.in_place = true});
  const std::size_t larger = builder.add({smaller}, 11, {.in_place = true});
  builder.keep(larger);
  const MemoryProblem problem = builder.take();
  const MemoryPlan plan = checked_plan(problem);
  EXPECT_EQ(plan.in_place, (std::vector<std::pair<std::size_t, std::size_t>>{{b, a}, {smaller, b}}));
  EXPECT_EQ(plan.arena_bytes, 128);
  EXPECT_EQ(plan.given_peak_bytes, 256);

  const MemoryPlan apart = checked_plan(problem, {.in_place = false});
  EXPECT_TRUE(apart.in_place.empty());
  EXPECT_EQ(apart.arena_bytes, 256);
}

TEST(MemoryPlan, DoesNotPutInPlaceOfWhatIsStillNeeded) {
  ProblemBuilder builder;
  const std::size_t kept = builder.add({}, 64);
  builder.keep(kept);
  const std::size_t read_again = builder.add({}, 64);
  const std::size_t sum = builder.add({kept, read_again}, 64, {.in_place = true});
  builder.add_update({sum, read_again});
  const MemoryPlan plan = checked_plan(builder.take(), {.reorder = false});
  EXPECT_TRUE(plan.in_place.empty());
  EXPECT_EQ(plan.arena_bytes, 192);
}

TEST(MemoryPlan, RunsAnOptimizerStepAsSoonAsItMay) {
  ProblemBuilder builder;
  std::vector<std::size_t> grads;
  for (int i = 0; i < 4; ++i) {
    grads.push_back(builder.add({}, 1000));
  }
  for (const std::size_t grad : grads) {
    builder.add_update({grad});
  }
  const MemoryPlan plan = checked_plan(builder.take());
  EXPECT_EQ(plan.given_peak_bytes, 4096);
  EXPECT_EQ(plan.arena_bytes, 1024);
  EXPECT_EQ(plan.orders.front().name, "given");
  EXPECT_EQ(plan.orders.front().max_live_bytes, 4096);
  EXPECT_NE(plan.order_name, "given");
}

TEST(MemoryPlan, KeepsTheGivenOrderWhereNoneIsBetter) {
  const MemoryPlan plan = checked_plan(test::u_net(4, 1 << 16, 16));
  EXPECT_EQ(plan.order_name, "given");
  for (std::size_t i = 0; i < plan.order.size(); ++i) {
    EXPECT_EQ(plan.order[i], i);
  }
}

TEST(MemoryPlan, ScratchIsThereWhileItsStepRuns) {
  ProblemBuilder builder;
  const std::size_t a = builder.add({}, 64, {.scratch_bytes = 640});
  builder.keep(builder.add({a}, 64, {.scratch_bytes = 65}));
  const MemoryPlan plan = checked_plan(builder.take());
  EXPECT_EQ(plan.max_live_bytes, 704);
  EXPECT_EQ(plan.arena_bytes, 704);
}

TEST(MemoryPlan, ScratchAloneMayBeAll) {
  ProblemBuilder builder;
  builder.add_update({}, {.scratch_bytes = 1});
  EXPECT_EQ(checked_plan(builder.take()).arena_bytes, 64);
}

TEST(MemoryPlan, OfNothing) {
  const MemoryPlan plan = checked_plan({});
  EXPECT_EQ(plan.arena_bytes, 0);
  EXPECT_EQ(plan.max_live_bytes, 0);
  EXPECT_TRUE(plan.order.empty());
}

TEST(MemoryPlan, OfBuffersWithoutBytesAndWithoutReaders) {
  ProblemBuilder builder;
  const std::size_t nothing = builder.add({}, 0);
  builder.add({nothing}, 64);
  builder.keep(builder.add({nothing}, 0, {.in_place = true}));
  const MemoryPlan plan = checked_plan(builder.take());
  EXPECT_EQ(plan.max_live_bytes, 64);
  EXPECT_EQ(plan.arena_bytes, 64);
}

TEST(MemoryPlan, RoundsToTheAlignment) {
  ProblemBuilder builder;
  const std::size_t a = builder.add({}, 1);
  const std::size_t b = builder.add({a}, 65);
  builder.keep(b);
  const MemoryProblem problem = builder.take();
  EXPECT_EQ(checked_plan(problem, {.alignment = 1}).arena_bytes, 66);
  EXPECT_EQ(checked_plan(problem, {.alignment = 64}).arena_bytes, 192);
  EXPECT_EQ(checked_plan(problem, {.alignment = 4096}).arena_bytes, 8192);
}

TEST(MemoryPlan, TellsWhatNoAddressReaches) {
  constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();
  ProblemBuilder builder;
  const std::size_t a = builder.add({}, kLargest - 1);
  builder.keep(builder.add({a}, kLargest / 2));
  const MemoryProblem problem = builder.take();
  const MemoryPlan plan = plan_memory(problem);
  EXPECT_EQ(plan.arena_bytes, kLargest);
  EXPECT_EQ(plan.max_live_bytes, kLargest);
  EXPECT_EQ(plan.given_peak_bytes, kLargest);
  EXPECT_FALSE(check_memory_plan(problem, plan).has_value());
}

TEST(MemoryPlanDeathTest, RefusesWhatIsNoProblem) {
  MemoryProblem unwritten{.buffer_bytes = {1}, .kept = {false}, .steps = {}};
  EXPECT_DEATH(plan_memory(unwritten), "internal error");
  ProblemBuilder builder;
  builder.add({}, 1);
  MemoryProblem cyclic = builder.take();
  cyclic.steps.front().after = {0};
  EXPECT_DEATH(plan_memory(cyclic), "internal error");
}

}  // namespace
}  // namespace foretell::passes
