// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/probe/samples.hpp"

#include <gtest/gtest.h>

#include <functional>

namespace foretell::probe {
namespace {

TEST(Quantile, IsLinearBetweenSamples) {
  const std::vector<double> sorted{0, 10, 20, 30, 40};
  EXPECT_EQ(quantile(sorted, 0), 0);
  EXPECT_EQ(quantile(sorted, 0.1), 4);
  EXPECT_EQ(quantile(sorted, 0.5), 20);
  EXPECT_EQ(quantile(sorted, 1), 40);
  EXPECT_EQ(quantile({7}, 0.9), 7);
}

TEST(ConstantOf, IsMedianWithTenthAndNinetiethPercentile) {
  const ProbedConstant made = constant_of("x_ns", "ns", {40, 0, 30, 10, 20}, "a test");

  EXPECT_EQ(made.samples, 5);
  EXPECT_EQ(made.constant, (cost::Constant{"x_ns", "ns", 4, 20, 36, Provenance::Probed, "a test"}));
}

// Its clock moves by a tenth of a stretch whenever it is read; it is disturbed wherever `disturbed` says so,
// by the number of the reading.
class FakeMachine final : public runtime::MachineState {
 public:
  std::int64_t now_ns() override { return time_ns_ += 100'000; }
  std::int64_t blocked_ns() override { return 0; }
  runtime::Disturbance disturbance_before() override { return disturbance(); }
  runtime::Disturbance disturbance_after() override { return disturbance(); }
  void wait(std::int64_t) override {}

  std::function<bool(int)> disturbed = [](int) { return false; };

 private:
  runtime::Disturbance disturbance() {
    switches_ += disturbed(++readings_) ? 1 : 0;
    return {.involuntary_switches = switches_, .steal_ticks = 0};
  }

  std::int64_t time_ns_ = 0;
  std::int64_t switches_ = 0;
  int readings_ = 0;
};

TEST(Sampler, LeavesTheFirstOutAndStopsAtItsLimits) {
  FakeMachine machine;
  Sampler sampler(machine);
  int calls = 0;
  const auto next = [&] { return static_cast<double>(calls++); };

  const auto few = sampler.take(next, {.budget_ns = 0, .least = 3, .most = 3});
  EXPECT_EQ(*few, (std::vector<double>{1, 2, 3}));
  calls = 0;
  const auto many = sampler.take(next, {.budget_ns = INT64_MAX / 4, .least = 3, .most = 5});
  EXPECT_EQ(*many, (std::vector<double>{1, 2, 3, 4, 5}));
  EXPECT_EQ(sampler.taken(), 8);
  EXPECT_EQ(sampler.rejected(), 0);
}

TEST(Sampler, ADisturbedStretchIsLeftOutWhole) {
  FakeMachine machine;
  machine.disturbed = [](int reading) { return reading == 2; };  // within the first stretch
  Sampler sampler(machine);
  int calls = 0;
  const auto samples = sampler.take([&] { return static_cast<double>(calls++); },
                                    {.budget_ns = 2'500'000, .least = 3, .most = 100});

  ASSERT_TRUE(samples);
  const std::int64_t rejected = sampler.rejected();
  EXPECT_GT(rejected, 1);
  EXPECT_EQ(samples->front(), static_cast<double>(rejected + 1));
  EXPECT_EQ(sampler.taken(), rejected + static_cast<std::int64_t>(samples->size()));
}

TEST(Sampler, OnABusyMachineTheDisturbedOnesAreAllThereIs) {
  FakeMachine machine;
  machine.disturbed = [](int) { return true; };
  Sampler sampler(machine);
  const auto samples = sampler.take([] { return 7.0; }, {.budget_ns = 1'000'000, .least = 3, .most = 100});

  ASSERT_TRUE(samples);
  EXPECT_GE(samples->size(), 3U);
  EXPECT_EQ(sampler.rejected(), sampler.taken());
}

TEST(Sampler, StopsAtAnError) {
  FakeMachine machine;
  Sampler sampler(machine);
  int calls = 0;
  const auto samples = sampler.take([&]() -> Result<double> {
    if (++calls == 3) {
      return fail(ErrorCode::Environment, "here", "gone");
    }
    return 1.0;
  });

  ASSERT_FALSE(samples);
  EXPECT_EQ(samples.error().message, "gone");
  EXPECT_EQ(calls, 3);
}

}  // namespace
}  // namespace foretell::probe
