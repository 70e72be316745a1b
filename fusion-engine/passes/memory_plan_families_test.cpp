// SPDX-License-Identifier: Apache-2.0
// How near the arena comes to what is live at most, which no arena can be below.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "fusion-engine/passes/memory_cases.hpp"
#include "fusion-engine/passes/memory_plan.hpp"

namespace foretell::passes {
namespace {

struct Family {
  std::string name;
  std::vector<MemoryProblem> problems;
  // Arena over what is live at most. The plan is deterministic.
  double worst;
};

template <class Make>
Family of_seeds(std::string name, double worst, Make make) {
  Family family{.name = std::move(name), .problems = {}, .worst = worst};
  for (const auto& [steps, seeds] : {std::pair(50, 8), {100, 8}, {200, 8}, {500, 6}, {1000, 4}, {2000, 2}}) {
    for (std::uint64_t seed = 0; seed < static_cast<std::uint64_t>(seeds); ++seed) {
      family.problems.push_back(make(steps, seed));
    }
  }
  return family;
}

std::vector<Family> families() {
  Family training{.name = "training", .problems = {}, .worst = 1.0};
  Family u_net{.name = "u_net", .problems = {}, .worst = 1.0};
  Family decode{.name = "decode", .problems = {}, .worst = 1.0};
  for (const int layers : {1, 2, 6, 24}) {
    for (const std::int64_t weight_bytes : {1'000, 100'000, 5'000'000}) {
      training.problems.push_back(test::training(layers, 1'000'000, weight_bytes));
    }
    for (const std::int64_t context : {128, 1024, 8192}) {
      decode.problems.push_back(test::decode(layers, 8192, context, 32'000));
    }
  }
  for (int levels = 1; levels < 8; ++levels) {
    u_net.problems.push_back(test::u_net(levels, 3 << 16, 21));
  }
  return {training, u_net, decode, of_seeds("churn", 1.05, test::churn),
          of_seeds("random_dag", 1.05, test::random_dag)};
}

class MemoryPlanFamily : public testing::TestWithParam<Family> {};

TEST_P(MemoryPlanFamily, ArenaIsNearWhatIsLive) {
  std::vector<double> ratios;
  std::vector<double> shares;
  for (const MemoryProblem& problem : GetParam().problems) {
    const MemoryPlan plan = plan_memory(problem);
    ratios.push_back(static_cast<double>(plan.arena_bytes) / static_cast<double>(plan.max_live_bytes));
    shares.push_back(static_cast<double>(plan.arena_bytes) / static_cast<double>(plan.given_peak_bytes));
    EXPECT_LE(ratios.back(), GetParam().worst) << problem.steps.size() << " steps, problem " << ratios.size();
  }
  std::ranges::sort(ratios);
  std::ranges::sort(shares);
  std::printf("%s: arena / max live: median %.4f, worst %.4f; arena / eager peak: median %.3f, worst %.3f\n",
              GetParam().name.c_str(), ratios[ratios.size() / 2], ratios.back(), shares[shares.size() / 2],
              shares.back());
}

INSTANTIATE_TEST_SUITE_P(All, MemoryPlanFamily, testing::ValuesIn(families()),
                         [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace foretell::passes
