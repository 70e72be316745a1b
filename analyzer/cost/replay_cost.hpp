// SPDX-License-Identifier: Apache-2.0
// What launching a chain of kernels costs, one by one and as one replayed graph. A graph costs a fixed part
// and a part per node; both differ severalfold between machines, so they are given, never built in.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace foretell::cost {

double replay_ns(std::uint64_t nodes, double fixed_ns, double per_node_ns);
double launch_chain_ns(std::uint64_t kernels, double per_launch_ns);

// One timing of a chain.
struct ChainTime {
  std::uint64_t nodes = 0;
  double time_ns = 0;
};
struct ReplayCost {
  double fixed_ns = 0;
  double per_node_ns = 0;
};
// The line through a price list that has the least squares of relative errors, so that short chains count as
// much as long ones; neither part is below 0. nullopt: fewer than two lengths, or a time that is not above 0.
std::optional<ReplayCost> fit_replay_cost(std::span<const ChainTime> price_list);

}  // namespace foretell::cost
