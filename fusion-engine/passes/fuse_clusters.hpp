// SPDX-License-Identifier: Apache-2.0
// Groups while fuse grows them: what they read and write, and whether two may become one.
#pragma once

#include <expected>
#include <optional>
#include <vector>

#include "fusion-engine/passes/fuse.hpp"
#include "fusion-engine/passes/fuse_traffic.hpp"
#include "fusion-engine/passes/iteration_space.hpp"

namespace foretell::passes {

class Clusters {
 public:
  // Every node but inputs, constants and sources recomputed by all their readers is a cluster of its own at
  // first.
  Clusters(const ir::Graph& graph, const FuseOptions& options, const std::vector<Operand>& readings);

  static constexpr std::size_t kNone = SIZE_MAX;
  std::size_t cluster_of(ir::NodeId node) const { return cluster_of_[ir::index(node)]; }
  const std::vector<ir::NodeId>& members(std::size_t cluster) const { return clusters_[cluster].members; }
  std::size_t size() const { return clusters_.size(); }  // merged-away clusters have no members
  bool is_kernel(std::size_t cluster) const { return clusters_[cluster].space.has_value(); }
  // Of a cluster that is a kernel.
  const IterationSpace& space(std::size_t cluster) const { return *clusters_[cluster].space; }
  const Border& border(std::size_t cluster) const { return clusters_[cluster].border; }
  // Bytes across the border; rows that don't fit the cache count once per walk.
  std::int64_t bytes(std::size_t cluster) const { return clusters_[cluster].bytes; }
  // Clusters with a member that reads the value, ascending.
  std::vector<std::size_t> readers(ir::NodeId value) const;
  // A view that is another reading of a buffer's memory, not a copy.
  bool is_reading(ir::NodeId node) const { return readings_[ir::index(node)].buffer != node; }

  // What may come of merging two kernels: `saves` tells whether bytes must fall (true), or may stay as they
  // are. Of two clusters that are refused once, the answer is the same until one of them changes.
  struct Merged {
    std::vector<ir::NodeId> members;
    IterationSpace space;
    Border border;
    std::int64_t bytes = 0;
  };
  std::expected<Merged, Misfit> try_merge(std::size_t a, std::size_t b, bool saves) const;
  // By cluster: whether a value of `from` reaches it through another, or one of its values reaches `from` so.
  // A pair of these can't be merged.
  std::vector<bool> distant(std::size_t from) const;
  void merge(std::size_t a, std::size_t b, Merged merged);

  // Merges so far, and of a cluster the number of the merge that last changed it.
  std::size_t merges() const { return merges_; }
  std::size_t changed_at(std::size_t cluster) const { return clusters_[cluster].changed_at; }

  // Clusters in an order that data flow allows; of those that are ready the one with the smallest last
  // member.
  std::vector<std::size_t> order() const;

 private:
  struct Cluster {
    std::vector<ir::NodeId> members;
    std::optional<IterationSpace> space;  // none: no kernel
    Border border;
    std::int64_t bytes = 0;
    std::size_t changed_at = 0;
  };
  bool recomputed_by(ir::NodeId source, ir::NodeId reader) const;
  Border find_border(const std::vector<ir::NodeId>& members) const;
  std::int64_t count_bytes(const std::vector<ir::NodeId>& members, const IterationSpace& space,
                           const Border& border) const;
  std::expected<void, Misfit> check_repeated(const Merged& merged) const;
  template <class Visit>
  void for_each_reader(std::size_t from, Visit visit) const;
  template <class Visit>
  void for_each_operand(std::size_t from, Visit visit) const;
  // Positions before `end` of the clusters that need `from`.
  std::vector<std::size_t> readers_before(std::size_t from, std::size_t end) const;
  bool makes_cycle(std::size_t a, std::size_t b) const;
  void move_together(std::size_t a, std::size_t b);

  const ir::Graph& graph_;
  const FuseOptions& options_;
  const std::vector<Operand>& readings_;
  std::vector<std::vector<ir::NodeId>> users_;
  std::vector<bool> is_output_;
  std::vector<bool> is_kernel_alone_;  // has an iteration space: can read sources without memory
  std::vector<std::size_t> cluster_of_;
  std::vector<Cluster> clusters_;
  std::size_t merges_ = 0;
  std::vector<std::size_t> at_;        // an order of the clusters that data flow allows
  std::vector<std::size_t> position_;  // of a cluster in it
};

}  // namespace foretell::passes
