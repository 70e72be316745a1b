// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/passes/fuse_clusters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <queue>
#include <set>

namespace foretell::passes {
namespace {

using ir::Graph;
using ir::Node;
using ir::NodeId;
using ir::OpKind;

bool holds(const std::vector<NodeId>& ascending, NodeId id) {
  return std::ranges::binary_search(ascending, id);
}

// An op that is repeated along an axis costs no more than this, or it is better read: a load's price in
// flops.
constexpr int kCheapFlops = 4;

}  // namespace

Clusters::Clusters(const Graph& graph, const FuseOptions& options, const std::vector<Operand>& readings)
    : graph_(graph),
      options_(options),
      readings_(readings),
      users_(ir::users(graph)),
      is_output_(graph.size(), false),
      is_kernel_alone_(graph.size(), false),
      cluster_of_(graph.size(), kNone) {
  for (const ir::Output& output : graph.outputs()) {
    is_output_[ir::index(output.node)] = true;
  }
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const auto id = static_cast<NodeId>(i);
    is_kernel_alone_[i] = is_fusible(graph.node(id)) && find_space(graph, std::span(&id, 1)).has_value();
  }
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const auto id = static_cast<NodeId>(i);
    const Node& node = graph.node(id);
    if (node.op == OpKind::Input || node.op == OpKind::Constant) {
      continue;
    }
    const auto& readers = users_[i];
    if (is_cheap_source(node) && !is_output_[i] &&
        std::ranges::all_of(readers, [&](NodeId reader) { return recomputed_by(id, reader); })) {
      continue;
    }
    cluster_of_[i] = clusters_.size();
    Cluster& cluster = clusters_.emplace_back();
    cluster.members = {id};
    if (!is_fusible(node)) {
      continue;
    }
    if (auto space = find_space(graph, cluster.members)) {
      cluster.kernel = true;
      cluster.space = *std::move(space);
      cluster.border = find_border(cluster.members);
      cluster.bytes = count_bytes(cluster.members, cluster.space, cluster.border);
    } else {
      cluster.misfit = std::move(space.error());
    }
  }
}

// A counter-based generator gives the same number wherever it is asked, but not for less than a dozen
// operations: it is repeated only for readers that need each of its numbers once.
bool Clusters::recomputed_by(NodeId source, NodeId reader) const {
  const Node& node = graph_.node(source);
  return is_cheap_source(node) && is_kernel_alone_[ir::index(reader)] &&
         (node.op == OpKind::Iota || graph_.type(reader).shape == node.type.shape);
}

Border Clusters::find_border(const std::vector<NodeId>& members) const {
  Border border;
  std::set<NodeId> seen;
  for (const NodeId id : members) {
    for (const NodeId operand : graph_.node(id).operands) {
      if (holds(members, operand) ||
          graph_.node(readings_[ir::index(operand)].buffer).op == OpKind::Constant) {
        continue;
      }
      if (seen.insert(operand).second) {
        (recomputed_by(operand, id) ? border.sources : border.inputs).push_back(operand);
      }
    }
    const auto& readers = users_[ir::index(id)];
    const bool escapes = std::ranges::any_of(
        readers, [&](NodeId reader) { return !holds(members, reader) && !recomputed_by(id, reader); });
    if (escapes || is_output_[ir::index(id)]) {
      border.outputs.push_back(id);
    }
  }
  std::ranges::sort(border.sources);
  return border;
}

std::int64_t Clusters::count_bytes(const std::vector<NodeId>& members, const IterationSpace& space,
                                   const Border& border) const {
  return count_traffic(graph_, readings_, members, space, border, options_.private_cache_bytes);
}

// What lies along fewer axes than the space is computed again along the others, and can't be written.
std::expected<void, Misfit> Clusters::check_repeated(const Merged& merged) const {
  int flops = 0;
  for (std::size_t i = 0; i < merged.members.size(); ++i) {
    const NodeId id = merged.members[i];
    if (merged.space.placements[i].extent != Placement::Extent::Partial) {
      continue;
    }
    if (holds(merged.border.outputs, id)) {
      return std::unexpected(Misfit{
          .node = id,
          .reason = "broadcast",
          .text =
              fmt::format("{} is also needed by itself, and these loops would write each element repeatedly",
                          describe(graph_, id))});
    }
    const bool one_number = ir::elements(graph_.type(id).shape) == 1;  // computed once per call
    flops += one_number ? 0 : ir::info(graph_.node(id).op).flops;
    if (flops > kCheapFlops || ir::is_random(graph_.node(id).op)) {
      return std::unexpected(Misfit{
          .node = id,
          .reason = "recompute",
          .text = fmt::format("{} would be computed again along the axes it lacks", describe(graph_, id))});
    }
  }
  return {};
}

std::expected<Clusters::Merged, Misfit> Clusters::try_merge(std::size_t a, std::size_t b, bool saves) const {
  Merged merged;
  std::ranges::merge(clusters_[a].members, clusters_[b].members, std::back_inserter(merged.members));
  const NodeId last = merged.members.back();
  if (merged.members.size() > options_.max_nodes) {
    return std::unexpected(Misfit{.node = last,
                                  .reason = "size",
                                  .text = fmt::format("a kernel of {} ops exceeds the limit of {}",
                                                      merged.members.size(), options_.max_nodes)});
  }
  auto space = find_space(graph_, merged.members);
  if (!space) {
    return std::unexpected(std::move(space.error()));
  }
  merged.space = *std::move(space);
  merged.border = find_border(merged.members);
  if (auto cheap = check_repeated(merged); !cheap) {
    return std::unexpected(std::move(cheap.error()));
  }
  merged.bytes = count_bytes(merged.members, merged.space, merged.border);
  const std::int64_t before = clusters_[a].bytes + clusters_[b].bytes;
  if (merged.bytes > before || (saves && merged.bytes == before)) {
    return std::unexpected(
        Misfit{.node = last,
               .reason = "traffic",
               .text = fmt::format("one kernel would move {} bytes, two move {}", merged.bytes, before)});
  }
  if (makes_cycle(a, b)) {
    return std::unexpected(Misfit{.node = last,
                                  .reason = "cycle",
                                  .text = "a value of one reaches the other through an op outside both"});
  }
  return merged;
}

bool Clusters::makes_cycle(std::size_t a, std::size_t b) const {
  std::vector<bool> seen(clusters_.size(), false);
  std::vector<std::size_t> open{a, b};
  while (!open.empty()) {
    const std::size_t from = open.back();
    open.pop_back();
    const bool inside = from == a || from == b;
    for (const NodeId id : clusters_[from].members) {
      for (const NodeId user : users_[ir::index(id)]) {
        const std::size_t to = cluster_of(user);
        if (to == a || to == b) {
          if (!inside) {
            return true;
          }
        } else if (!seen[to]) {
          seen[to] = true;
          open.push_back(to);
        }
      }
    }
  }
  return false;
}

void Clusters::merge(std::size_t a, std::size_t b, Merged merged) {
  for (const NodeId id : clusters_[b].members) {
    cluster_of_[ir::index(id)] = a;
  }
  clusters_[b] = Cluster{};
  Cluster& cluster = clusters_[a];
  cluster.members = std::move(merged.members);
  cluster.space = std::move(merged.space);
  cluster.border = std::move(merged.border);
  cluster.bytes = merged.bytes;
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
