// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/passes/fuse_clusters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <span>

#include "src/base/saturate.hpp"

namespace foretell::passes {
namespace {

using ir::Graph;
using ir::Node;
using ir::NodeId;
using ir::OpKind;

bool holds(const std::vector<NodeId>& ascending, NodeId id) {
  return std::ranges::binary_search(ascending, id);
}

// An op that is repeated along an axis costs no more than this, or it is better read. Assumed: what a load of
// one vector from the private cache costs. It delivers about 64 bytes a cycle, in which two units for fma do
// 4 flops an element (Intel 64 and IA-32 Architectures Optimization Reference Manual, on Skylake's server
// cores).
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
  std::vector<std::optional<IterationSpace>> alone(graph.size());
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const auto id = static_cast<NodeId>(i);
    if (is_fusible(graph.node(id))) {
      if (auto space = find_space(graph, std::span(&id, 1))) {
        alone[i] = *std::move(space);
      }
    }
    is_kernel_alone_[i] = alone[i].has_value();
  }
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const auto id = static_cast<NodeId>(i);
    const Node& node = graph.node(id);
    if (node.op == OpKind::Input || node.op == OpKind::Constant) {
      continue;
    }
    if (is_cheap_source(node) && !is_output_[i] &&
        std::ranges::all_of(users_[i], [&](NodeId reader) { return recomputed_by(id, reader); })) {
      continue;
    }
    cluster_of_[i] = clusters_.size();
    position_.push_back(at_.size());
    at_.push_back(clusters_.size());
    Cluster& cluster = clusters_.emplace_back();
    cluster.members = {id};
    cluster.space = std::move(alone[i]);
    if (cluster.space) {
      cluster.border = find_border(cluster.members);
      cluster.bytes = count_bytes(cluster.members, *cluster.space, cluster.border);
    }
  }
}

std::vector<std::size_t> Clusters::readers(NodeId value) const {
  std::vector<std::size_t> result;
  for (const NodeId user : users_[ir::index(value)]) {
    result.push_back(cluster_of(user));
  }
  std::ranges::sort(result);
  const auto rest = std::ranges::unique(result);
  result.erase(rest.begin(), rest.end());
  return result;
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
        // One reader that needs it from memory is enough for it to be there.
        const bool recomputed = std::ranges::all_of(users_[ir::index(operand)], [&](NodeId reader) {
          return !holds(members, reader) || recomputed_by(operand, reader);
        });
        (recomputed ? border.sources : border.inputs).push_back(operand);
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

// What lies along fewer axes than the space is computed again along the others, and can't be written. Random
// numbers are never worth it: neither those of members nor those that members compute again.
std::expected<void, Misfit> Clusters::check_repeated(const Merged& merged) const {
  const auto recompute = [&](NodeId id) {
    return std::unexpected(Misfit{
        .node = id,
        .reason = "recompute",
        .text = fmt::format("{} would be computed again along the axes it lacks", describe(graph_, id))});
  };
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
    const Node& node = graph_.node(id);
    const bool one_number = ir::elements(node.type.shape) == 1;  // computed once per call
    flops += one_number ? 0 : ir::info(node.op).flops;
    if (flops > kCheapFlops || ir::is_random(node.op)) {
      return recompute(id);
    }
    for (const NodeId operand : node.operands) {
      if (!one_number && ir::is_random(graph_.node(operand).op) && holds(merged.border.sources, operand)) {
        return recompute(operand);
      }
    }
  }
  return {};
}

std::expected<Clusters::Merged, Misfit> Clusters::try_merge(std::size_t a, std::size_t b, bool saves) const {
  const std::size_t count = members(a).size() + members(b).size();
  const NodeId last = std::max(members(a).back(), members(b).back());
  if (count > options_.max_nodes) {
    return std::unexpected(
        Misfit{.node = last,
               .reason = "size",
               .text = fmt::format("a kernel of {} ops exceeds the limit of {}", count, options_.max_nodes)});
  }
  Merged merged;
  std::ranges::merge(members(a), members(b), std::back_inserter(merged.members));
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
  std::int64_t before = bytes(a);
  add_saturated(before, bytes(b));
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

void Clusters::merge(std::size_t a, std::size_t b, Merged merged) {
  move_together(a, b);
  for (const NodeId id : clusters_[b].members) {
    cluster_of_[ir::index(id)] = a;
  }
  clusters_[b] = Cluster{};
  Cluster& cluster = clusters_[a];
  cluster.members = std::move(merged.members);
  cluster.space = std::move(merged.space);
  cluster.border = std::move(merged.border);
  cluster.bytes = merged.bytes;
  cluster.changed_at = ++merges_;
}

}  // namespace foretell::passes
