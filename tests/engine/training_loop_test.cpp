// SPDX-License-Identifier: Apache-2.0
// Training goes the same way in every variant: 200 steps of a small problem.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/engine/workload_runner.hpp"

namespace foretell::tests {
namespace {

constexpr int kSteps = 200;
// Of the loss, relative. An f32 step rounds each weight by 6e-8 of it; the steps that differ in how they add
// up drift apart from there, and training pulls them together again: what is left after 200 steps is far
// below what a person reads off a curve, three digits.
constexpr double kDrift = 1e-3;

const std::vector<workloads::GivenParameter> kSmall{
    {"batch", "16"}, {"hidden", "32"}, {"layers", "2"}, {"classes", "4"}, {"updates", "single"}};

std::vector<double> losses(WorkloadRunner& runner, std::string_view variant) {
  std::size_t loss = 0;
  while (runner.graph().outputs()[loss].name != "loss") {
    ++loss;
  }
  WorkloadRunner::Running running = runner.start(variant);
  std::vector<double> values;
  for (int step = 0; step < kSteps; ++step) {
    running.step();
    values.push_back(ir::get(running.executor->output(loss), 0));
  }
  return values;
}

class TrainingLoop : public testing::TestWithParam<const char*> {};

TEST_P(TrainingLoop, ReachesTheLossOfEagerInEveryVariant) {
  std::vector<workloads::GivenParameter> given = kSmall;
  given.emplace_back("optimizer", GetParam());
  WorkloadRunner runner("mlp-train", 0, given);
  const std::vector<double> eager = losses(runner, "eager");
  EXPECT_LT(eager.back(), eager.front() / 2) << "nothing was learnt";
  for (const bridge::VariantInfo& variant : bridge::all_variants()) {
    if (variant.compiled() && !codegen::find_compiler()) {
      // Generated code needs the system's compiler, which a machine may lack; the build's own may be
      // elsewhere.
      GTEST_SKIP() << "no C++ compiler on this machine";
    }
    const std::vector<double> other = losses(runner, variant.name);
    double worst = 0;
    for (int step = 0; step < kSteps; ++step) {
      const auto at = static_cast<std::size_t>(step);
      const double drift = std::fabs(other[at] - eager[at]) / std::fabs(eager[at]);
      worst = std::max(worst, drift);
    }
    RecordProperty(std::string(variant.name),
                   fmt::format("loss {:.6g} to {:.6g}, drift from eager at most {:.2e}", other.front(),
                               other.back(), worst));
    EXPECT_LE(worst, kDrift) << variant.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Optimizers, TrainingLoop, testing::Values("sgd", "adam"),
                         [](const auto& row) { return std::string(row.param); });

}  // namespace
}  // namespace foretell::tests
