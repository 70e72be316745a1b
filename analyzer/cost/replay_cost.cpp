// SPDX-License-Identifier: Apache-2.0
#include "analyzer/cost/replay_cost.hpp"

#include <algorithm>

namespace foretell::cost {

double replay_ns(std::uint64_t nodes, double fixed_ns, double per_node_ns) {
  return fixed_ns + static_cast<double>(nodes) * per_node_ns;
}

double launch_chain_ns(std::uint64_t kernels, double per_launch_ns) {
  return static_cast<double>(kernels) * per_launch_ns;
}

// With weights w = 1 / t^2, minimise sum w (fixed + n * node - t)^2.
std::optional<ReplayCost> fit_replay_cost(std::span<const ChainTime> price_list) {
  double w = 0, wn = 0, wnn = 0, wt = 0, wnt = 0;
  for (const ChainTime& row : price_list) {
    if (!(row.time_ns > 0)) {
      return std::nullopt;
    }
    const double weight = 1 / (row.time_ns * row.time_ns);
    const auto n = static_cast<double>(row.nodes);
    w += weight;
    wn += weight * n;
    wnn += weight * n * n;
    wt += weight * row.time_ns;
    wnt += weight * n * row.time_ns;
  }
  const bool lengths_differ = std::ranges::any_of(
      price_list, [&](const ChainTime& row) { return row.nodes != price_list.front().nodes; });
  const double determinant = w * wnn - wn * wn;
  if (!lengths_differ || !(determinant > 0)) {
    return std::nullopt;
  }
  const ReplayCost both{.fixed_ns = (wt * wnn - wn * wnt) / determinant,
                        .per_node_ns = (w * wnt - wn * wt) / determinant};
  if (both.fixed_ns < 0) {
    return ReplayCost{.fixed_ns = 0, .per_node_ns = wnt / wnn};
  }
  if (both.per_node_ns < 0) {
    return ReplayCost{.fixed_ns = wt / w, .per_node_ns = 0};
  }
  return both;
}

}  // namespace foretell::cost
