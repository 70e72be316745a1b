// SPDX-License-Identifier: Apache-2.0
// Data flow between clusters. They are kept in an order that it allows, so that a way from one to another is
// looked for only among those between them, as in Pearce and Kelly, A dynamic topological sort algorithm for
// directed acyclic graphs (ACM J. Exp. Algorithmics 11, 2006).
#include <algorithm>
#include <queue>
#include <set>

#include "fusion-engine/passes/fuse_clusters.hpp"
#include "src/base/check.hpp"

namespace foretell::passes {

using ir::NodeId;

// Calls visit(cluster) for each cluster that reads a value of `from`, possibly several times.
template <class Visit>
void Clusters::for_each_reader(std::size_t from, Visit visit) const {
  for (const NodeId id : members(from)) {
    for (const NodeId user : users_[ir::index(id)]) {
      if (cluster_of(user) != from) {
        visit(cluster_of(user));
      }
    }
  }
}

// The same for the clusters whose values it reads.
template <class Visit>
void Clusters::for_each_operand(std::size_t from, Visit visit) const {
  for (const NodeId id : members(from)) {
    for (const NodeId operand : graph_.node(id).operands) {
      if (cluster_of(operand) != kNone && cluster_of(operand) != from) {
        visit(cluster_of(operand));
      }
    }
  }
}

// Ascending positions.
std::vector<std::size_t> Clusters::readers_before(std::size_t from, std::size_t end) const {
  std::vector<std::size_t> found;
  std::vector<bool> seen(end - position_[from], false);
  std::vector<std::size_t> open{from};
  while (!open.empty()) {
    const std::size_t next = open.back();
    open.pop_back();
    for_each_reader(next, [&](std::size_t reader) {
      const std::size_t position = position_[reader];
      if (position < end && !seen[position - position_[from]]) {
        seen[position - position_[from]] = true;
        found.push_back(position);
        open.push_back(reader);
      }
    });
  }
  std::ranges::sort(found);
  return found;
}

bool Clusters::makes_cycle(std::size_t a, std::size_t b) const {
  const auto [first, second] = position_[a] < position_[b] ? std::pair(a, b) : std::pair(b, a);
  bool reaches = false;
  for (const std::size_t position : readers_before(first, position_[second])) {
    for_each_reader(at_[position], [&, wanted = second](std::size_t reader) { reaches |= reader == wanted; });
  }
  return reaches;
}

// The two side by side: what lies between them and needs the first goes behind both, the rest before.
void Clusters::move_together(std::size_t a, std::size_t b) {
  const auto [first, second] = position_[a] < position_[b] ? std::pair(a, b) : std::pair(b, a);
  const std::size_t begin = position_[first];
  const std::size_t end = position_[second];
  const std::vector<std::size_t> after = readers_before(first, end);
  std::vector<std::size_t> ordered;
  for (std::size_t position = begin + 1; position < end; ++position) {
    if (!std::ranges::binary_search(after, position)) {
      ordered.push_back(at_[position]);
    }
  }
  ordered.push_back(first);
  ordered.push_back(second);
  for (const std::size_t position : after) {
    ordered.push_back(at_[position]);
  }
  for (std::size_t i = 0; i < ordered.size(); ++i) {
    at_[begin + i] = ordered[i];
    position_[ordered[i]] = begin + i;
  }
}

std::vector<bool> Clusters::distant(std::size_t from) const {
  std::vector<bool> result(clusters_.size(), false);
  const auto walk = [&](auto for_each_next) {
    std::vector<bool> seen(clusters_.size(), false);
    std::vector<std::size_t> open;
    const auto visit = [&](std::size_t cluster) {
      if (!seen[cluster]) {
        seen[cluster] = true;
        open.push_back(cluster);
      }
    };
    for_each_next(from, visit);
    while (!open.empty()) {
      const std::size_t outside = open.back();
      open.pop_back();
      for_each_next(outside, [&](std::size_t next) {
        result[next] = true;
        visit(next);
      });
    }
  };
  walk([&](std::size_t cluster, auto visit) { for_each_reader(cluster, visit); });
  walk([&](std::size_t cluster, auto visit) { for_each_operand(cluster, visit); });
  return result;
}

std::vector<std::size_t> Clusters::order() const {
  std::vector<std::set<std::size_t>> readers(clusters_.size());
  std::vector<std::size_t> waits(clusters_.size(), 0);
  for (std::size_t i = 0; i < graph_.size(); ++i) {
    for (const NodeId user : users_[i]) {
      const std::size_t from = cluster_of_[i];
      const std::size_t to = cluster_of(user);
      if (from != kNone && from != to && readers[from].insert(to).second) {
        ++waits[to];
      }
    }
  }
  using Entry = std::pair<NodeId, std::size_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> ready;
  std::size_t count = 0;
  for (std::size_t i = 0; i < clusters_.size(); ++i) {
    count += clusters_[i].members.empty() ? 0 : 1;
    if (!clusters_[i].members.empty() && waits[i] == 0) {
      ready.emplace(clusters_[i].members.back(), i);
    }
  }
  std::vector<std::size_t> order;
  while (!ready.empty()) {
    const std::size_t next = ready.top().second;
    ready.pop();
    order.push_back(next);
    for (const std::size_t reader : readers[next]) {
      if (--waits[reader] == 0) {
        ready.emplace(clusters_[reader].members.back(), reader);
      }
    }
  }
  FORETELL_CHECK(order.size() == count);
  return order;
}

}  // namespace foretell::passes
