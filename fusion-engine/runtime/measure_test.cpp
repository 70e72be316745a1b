// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/runtime/measure.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <functional>

namespace foretell::runtime {
namespace {

// Time passes only where somebody says so.
struct FakeMachine final : MachineState {
  std::int64_t time = 0;
  Disturbance total;
  std::int64_t waits = 0;
  std::int64_t waited_ns = 0;
  std::int64_t blocked = 0;
  std::int64_t now_ns() override { return time; }
  std::int64_t blocked_ns() override { return blocked; }
  Disturbance disturbance_before() override { return total; }
  Disturbance disturbance_after() override { return total; }
  void wait(std::int64_t duration_ns) override {
    ++waits;
    waited_ns += duration_ns;
    time += duration_ns;
  }
};

// A step takes the host `host_ns`, and the device what `device_ns` says of the step's number; both go side by
// side.
struct FakeExecutor final : Executor {
  FakeExecutor(FakeMachine& its_machine, std::int64_t its_host_ns,
               std::function<std::int64_t(int)> its_device_ns)
      : machine(its_machine), host_ns(its_host_ns), device_ns(std::move(its_device_ns)) {}
  std::string_view name() const override { return "fake"; }
  void reset() override { since_reset = 0; }
  Result<void> step() override {
    if (steps == fails_at) {
      return fail(ErrorCode::BadInput, "op", "broken");
    }
    machine.time += host_ns;
    device_end = std::max(device_end, machine.time) + device_ns(steps++);
    ++since_synchronize;
    ++since_reset;
    on_step(steps);
    return {};
  }
  Result<void> synchronize() override {
    machine.time = std::max(machine.time, device_end);
    since_synchronize = 0;
    return {};
  }
  ir::HostTensor output(std::size_t) const override { return {}; }
  StepCounters counters() const override { return {}; }
  Result<std::vector<OpTime>> time_ops() override { return {}; }

  FakeMachine& machine;
  std::int64_t host_ns;
  std::function<std::int64_t(int)> device_ns;
  std::function<void(int)> on_step = [](int) {};
  std::int64_t device_end = 0;
  int steps = 0;
  int fails_at = -1;
  int since_synchronize = 0;
  int since_reset = 0;
};

auto always(std::int64_t ns) {
  return [ns](int) { return ns; };
}

TEST(Measure, GivesDeviceTimeWhereTheDeviceBinds) {
  FakeMachine machine;
  FakeExecutor executor(machine, 1'000, always(100'000));
  const Variant variant{.name = "a", .executor = &executor};
  const auto result = measure(std::span(&variant, 1), machine);
  ASSERT_TRUE(result.has_value());
  const VariantTimes& times = result->variants[0];
  EXPECT_TRUE(result->converged);
  EXPECT_TRUE(times.stable);
  EXPECT_EQ(times.batch, 64);  // the first power of 2 with 5 ms
  // The first step's host time is not hidden.
  EXPECT_NEAR(times.step_ns.median, 100'000 + 1'000 / 64.0, 1);
  EXPECT_EQ(times.host_ns, 1'000);
  EXPECT_EQ(times.rejected, 0);
  EXPECT_EQ(times.accepted, 10);
}

TEST(Measure, GivesHostTimeWhereTheHostBinds) {
  FakeMachine machine;
  FakeExecutor executor(machine, 1'000, always(10));
  const Variant variant{.name = "a", .executor = &executor};
  const auto result = measure(std::span(&variant, 1), machine);
  ASSERT_TRUE(result.has_value());
  EXPECT_NEAR(result->variants[0].step_ns.median, 1'000, 1);
  EXPECT_EQ(result->variants[0].host_ns, 1'000);
}

TEST(Measure, LeavesWaitsForTheDeviceOutOfTheHostsTime) {
  FakeMachine machine;
  FakeExecutor executor(machine, 1'000, always(100));
  // From the third step of a batch on the queue is full.
  executor.on_step = [&](int) {
    const std::int64_t wait = executor.since_synchronize > 2 ? 50'000 : 0;
    machine.time += wait;
    machine.blocked += wait;
  };
  const Variant variant{.name = "a", .executor = &executor};
  const auto result = measure(std::span(&variant, 1), machine);
  ASSERT_TRUE(result.has_value());
  EXPECT_GT(result->variants[0].step_ns.median, 40'000);
  EXPECT_EQ(result->variants[0].host_ns, 1'000);
}

TEST(Measure, TimesTheHostOverAllStepsOfABatch) {
  FakeMachine machine;
  FakeExecutor executor(machine, 1'000, always(100));
  executor.on_step = [&](int) { machine.time += executor.since_synchronize % 2 == 0 ? 4'000 : 0; };
  const Variant variant{.name = "a", .executor = &executor};
  const auto result = measure(std::span(&variant, 1), machine);
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->variants[0].host_ns, 3'000);
  EXPECT_LE(result->variants[0].host_ns, result->variants[0].step_ns.median);
}

TEST(Measure, BeginsEverySampleWithTheFirstStates) {
  FakeMachine machine;
  FakeExecutor executor(machine, 0, [&](int) { return 10'000'000 * (1 + executor.since_reset); });
  const Variant variant{.name = "a", .executor = &executor};
  const auto result = measure(std::span(&variant, 1), machine);
  ASSERT_TRUE(result.has_value());
  // The step behind the untimed one.
  EXPECT_EQ(result->variants[0].step_ns.low, 20'000'000);
  EXPECT_EQ(result->variants[0].step_ns.high, 20'000'000);
}

TEST(Measure, WarmsUpUntilSamplesShowNoTrend) {
  constexpr int kSettled = 40;
  FakeMachine machine;
  // Each step is 10 % faster than the one before, until they settle.
  FakeExecutor executor(machine, 0, [](int step) {
    return static_cast<std::int64_t>(10e6 * std::pow(1.1, std::max(kSettled - step, 0)));
  });
  const Variant variant{.name = "a", .executor = &executor};
  const auto result = measure(std::span(&variant, 1), machine, {.warm_up_budget_ns = 100'000'000'000});
  ASSERT_TRUE(result.has_value());
  EXPECT_TRUE(result->variants[0].stable);
  // The median of the older three is settled when its second is, the first but kSettled that is as short.
  constexpr int kWarmUp = kSettled + 5;
  EXPECT_EQ(result->variants[0].samples.size(), 10);
  EXPECT_EQ(executor.steps, kWarmUp + 10 * 2);
  EXPECT_EQ(result->variants[0].step_ns.high, 10'000'000);
}

TEST(Measure, WarmsUpOnSamplesThatWereLeftAlone) {
  FakeMachine machine;
  FakeExecutor executor(machine, 0, [](int step) { return step % 2 == 0 ? 90'000'000 : 10'000'000; });
  executor.on_step = [&](int step) { machine.total.involuntary_switches += step % 2; };
  const Variant variant{.name = "a", .executor = &executor};
  const auto result = measure(std::span(&variant, 1), machine, {.longest_lead_in_ns = 0});
  ASSERT_TRUE(result.has_value());
  EXPECT_TRUE(result->variants[0].stable);  // after the sixth undisturbed one
}

TEST(Measure, SaysWhenWarmUpFoundNoEnd) {
  FakeMachine machine;
  FakeExecutor executor(machine, 0, [](int step) { return step % 2 == 0 ? 10'000'000 : 20'000'000; });
  const Variant variant{.name = "a", .executor = &executor};
  const auto result = measure(std::span(&variant, 1), machine);
  ASSERT_TRUE(result.has_value());
  EXPECT_FALSE(result->variants[0].stable);
}

TEST(Measure, GoesOnUntilTheIntervalIsNarrow) {
  FakeMachine machine;
  // 10 % of spread: 40 rounds and more for 1 %.
  FakeExecutor executor(machine, 0, [](int step) { return 10'000'000 + (step * 7919 % 100) * 10'000; });
  const Variant variant{.name = "a", .executor = &executor};
  const auto result = measure(std::span(&variant, 1), machine, {.budget_ns = 100'000'000'000});
  ASSERT_TRUE(result.has_value());
  EXPECT_TRUE(result->converged);
  const VariantTimes& times = result->variants[0];
  EXPECT_GT(times.accepted, 10);
  EXPECT_EQ(times.accepted % 10, 0);
  EXPECT_TRUE(std::has_single_bit(times.accepted / 10)) << times.accepted;  // looked at after 10, 20, 40...
  EXPECT_LE(times.step_ns.high - times.step_ns.low, 0.02 * times.step_ns.median);
  EXPECT_GT(times.step_ns.high, times.step_ns.low);
}

TEST(Measure, StopsWhenTheBudgetIsSpent) {
  FakeMachine machine;
  FakeExecutor executor(machine, 0, [](int step) { return 10'000'000 + step * 7919 % 100 * 200'000; });
  const Variant variant{.name = "a", .executor = &executor};
  const auto result = measure(std::span(&variant, 1), machine, {.budget_ns = 600'000'000, .min_rounds = 10});
  ASSERT_TRUE(result.has_value());
  EXPECT_FALSE(result->converged);
  EXPECT_FALSE(result->machine_busy);
  EXPECT_GE(result->variants[0].accepted, 10);
  EXPECT_LT(result->variants[0].accepted, 60);
  EXPECT_GT(result->variants[0].step_ns.median, 0);
}

TEST(Measure, LetsDriftOfTheMachineMeetAllVariantsAlike) {
  FakeMachine machine;
  // Everything becomes 1 % slower with each 100 ms; `b` takes twice as long as `a`.
  const auto drifting = [&](std::int64_t ns) {
    return [&machine, ns](int) { return ns + ns * (machine.time / 100'000'000) / 100; };
  };
  FakeExecutor a(machine, 0, drifting(10'000'000));
  FakeExecutor b(machine, 0, drifting(20'000'000));
  const std::vector<Variant> variants{{.name = "a", .executor = &a}, {.name = "b", .executor = &b}};
  const auto result = measure(variants, machine);
  ASSERT_TRUE(result.has_value());
  const auto ratio = speedup(result->variants[1], result->variants[0]);
  ASSERT_TRUE(ratio.has_value());
  EXPECT_NEAR(ratio->ratio, 2, 0.02);
  EXPECT_NEAR(ratio->low, 2, 0.02);
  EXPECT_NEAR(ratio->high, 2, 0.02);
  EXPECT_LE(ratio->low, ratio->ratio);
  EXPECT_GE(ratio->high, ratio->ratio);
}

TEST(Measure, RotatesTheOrder) {
  FakeMachine machine;
  std::string order;
  FakeExecutor a(machine, 0, always(200'000'000));  // too long for a lead-in
  FakeExecutor b(machine, 0, always(200'000'000));
  a.on_step = [&](int) { order += 'a'; };
  b.on_step = [&](int) { order += 'b'; };
  const std::vector<Variant> variants{{.name = "a", .executor = &a}, {.name = "b", .executor = &b}};
  const auto result = measure(variants, machine, {.min_rounds = 10});
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(order,
            "aaaaabbbbb"
            "abbaabbaabbaabbaabba");
}

TEST(Measure, TakesAnUntimedStepBeforeASample) {
  FakeMachine machine;
  FakeExecutor b(machine, 0, always(10'000'000));
  // The first step after another variant is slow.
  bool cold = false;
  b.on_step = [&](int) { cold = true; };
  FakeExecutor a(machine, 0, [&](int) { return std::exchange(cold, false) ? 15'000'000 : 10'000'000; });
  const std::vector<Variant> variants{{.name = "a", .executor = &a}, {.name = "b", .executor = &b}};
  const auto result = measure(variants, machine);
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->variants[0].step_ns.median, 10'000'000);
}

TEST(Measure, RejectsAndCountsDisturbedSamples) {
  FakeMachine machine;
  FakeExecutor executor(machine, 0, [](int step) { return step % 20 == 0 ? 90'000'000 : 10'000'000; });
  executor.on_step = [&](int step) {
    if ((step - 1) % 20 == 0) {
      ++machine.total.involuntary_switches;
    }
  };
  const Variant variant{.name = "a", .executor = &executor};
  const auto result = measure(std::span(&variant, 1), machine, {.min_rounds = 50});
  ASSERT_TRUE(result.has_value());
  EXPECT_FALSE(result->machine_busy);
  const VariantTimes& times = result->variants[0];
  EXPECT_EQ(times.samples.size(), 50);
  EXPECT_EQ(times.rejected, 5);
  EXPECT_EQ(times.accepted, 45);
  EXPECT_EQ(times.step_ns.high, 10'000'000);
}

TEST(Measure, KeepsLongSamplesThatAnInterruptionHardlyLengthens) {
  // One switch costs at most 3 ms, of 310 ms less than 1 %; of 290 ms more.
  for (const std::int64_t step_ns : {310'000'000, 290'000'000}) {
    FakeMachine machine;
    FakeExecutor executor(machine, 0, always(step_ns));
    executor.on_step = [&](int step) { machine.total.involuntary_switches += step % 10 == 0; };
    const Variant variant{.name = "a", .executor = &executor};
    const auto result = measure(std::span(&variant, 1), machine, {.min_rounds = 10});
    ASSERT_TRUE(result.has_value());
    EXPECT_EQ(result->variants[0].rejected, step_ns == 310'000'000 ? 0 : 1);
  }
}

TEST(Measure, WhatDisturbsTheUntimedStepRejectsNothing) {
  FakeMachine machine;
  FakeExecutor executor(machine, 0, always(10'000'000));
  executor.on_step = [&](int) { machine.total.involuntary_switches += executor.since_reset == 1; };
  const Variant variant{.name = "a", .executor = &executor};
  const auto result = measure(std::span(&variant, 1), machine);
  ASSERT_TRUE(result.has_value());
  EXPECT_FALSE(result->machine_busy);
  EXPECT_EQ(result->variants[0].rejected, 0);
}

TEST(Measure, GivesNoVerdictOnABusyMachine) {
  FakeMachine machine;
  FakeExecutor executor(machine, 0, always(10'000'000));
  executor.on_step = [&](int step) { machine.total.steal_ticks += step % 3 == 0; };
  const Variant variant{.name = "a", .executor = &executor};
  const auto result = measure(std::span(&variant, 1), machine);
  ASSERT_TRUE(result.has_value());
  EXPECT_TRUE(result->machine_busy);
  EXPECT_EQ(result->attempts, 3);
  EXPECT_EQ(machine.waits, 2);
  EXPECT_EQ(machine.waited_ns, 1'000'000'000);
  EXPECT_GT(result->variants[0].rejected, 0);
  EXPECT_EQ(result->variants[0].step_ns.median, 0);
  EXPECT_FALSE(speedup(result->variants[0], result->variants[0]).has_value());
}

TEST(Measure, GoesOnPastTheBudgetForAVariantThatWasDisturbedMoreThanOthers) {
  FakeMachine machine;
  FakeExecutor quiet(machine, 0, always(10'000'000));
  FakeExecutor disturbed(machine, 0, always(10'000'000));
  int steps = 0;
  disturbed.on_step = [&](int) { machine.total.steal_ticks += ++steps % 2; };
  std::vector<Variant> variants(5, Variant{.name = "quiet", .executor = &quiet});
  variants.push_back({.name = "disturbed", .executor = &disturbed});
  const auto result =
      measure(variants, machine, {.budget_ns = 1, .longest_lead_in_ns = 0, .max_rejected = 0.5});
  ASSERT_TRUE(result.has_value());
  EXPECT_TRUE(result->machine_busy);  // twice a budget of 1 ns is over at once

  const auto more =
      measure(variants, machine, {.budget_ns = 600'000'000, .longest_lead_in_ns = 0, .max_rejected = 0.5});
  ASSERT_TRUE(more.has_value());
  EXPECT_FALSE(more->machine_busy);
  EXPECT_GE(more->variants.back().accepted, 6);
}

TEST(Measure, TriesAgainWhenTheMachineWasBusy) {
  FakeMachine machine;
  FakeExecutor executor(machine, 0, always(10'000'000));
  executor.on_step = [&](int) { machine.total.steal_ticks += machine.waits == 0; };
  const Variant variant{.name = "a", .executor = &executor};
  const auto result = measure(std::span(&variant, 1), machine);
  ASSERT_TRUE(result.has_value());
  EXPECT_FALSE(result->machine_busy);
  EXPECT_EQ(result->attempts, 2);
  EXPECT_EQ(result->variants[0].rejected, 0);
  EXPECT_EQ(result->variants[0].step_ns.median, 10'000'000);
}

TEST(Measure, PassesOnAnExecutorsError) {
  for (const int at : {0, 30}) {
    FakeMachine machine;
    FakeExecutor executor(machine, 0, [](int step) { return 10'000'000 + step * 7919 % 100 * 10'000; });
    executor.fails_at = at;
    const Variant variant{.name = "a", .executor = &executor};
    const auto result = measure(std::span(&variant, 1), machine);
    ASSERT_FALSE(result.has_value()) << at;
    EXPECT_EQ(result.error().message, "broken");
  }
}

TEST(Speedup, IsOfTheMediansAndLiesInItsInterval) {
  VariantTimes before;
  VariantTimes after;
  for (int i = 0; i < 9; ++i) {
    before.samples.emplace_back(20.0 + i);
    after.samples.emplace_back(10.0 + i % 3);
  }
  before.step_ns.median = 24;
  after.step_ns.median = 11;
  const auto found = speedup(before, after);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->ratio, 24.0 / 11);
  EXPECT_LT(found->low, found->ratio);
  EXPECT_GT(found->high, found->ratio);
  after.step_ns = {};
  EXPECT_FALSE(speedup(before, after).has_value());
}

}  // namespace
}  // namespace foretell::runtime
