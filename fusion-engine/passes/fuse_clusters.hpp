// SPDX-License-Identifier: Apache-2.0
// Groups while fuse grows them: what they read and write, and whether two may become one.
#pragma once

#include <expected>
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
  bool is_kernel(std::size_t cluster) const { return clusters_[cluster].kernel; }
  // Of a cluster that is a kernel.
  const IterationSpace& space(std::size_t cluster) const { return clusters_[cluster].space; }
  const Border& border(std::size_t cluster) const { return clusters_[cluster].border; }
  // Why a fusible op is no kernel all the same (axes that aren't adjacent).
  const Misfit& misfit(std::size_t cluster) const { return clusters_[cluster].misfit; }

  // What may come of merging two kernels: `saves` tells whether bytes must fall (true), or may stay as they
  // are.
  struct Merged {
    std::vector<ir::NodeId> members;
    IterationSpace space;
    Border border;
    std::int64_t bytes = 0;
  };
  std::expected<Merged, Misfit> try_merge(std::size_t a, std::size_t b, bool saves) const;
  void merge(std::size_t a, std::size_t b, Merged merged);

  // Clusters in an order that data flow allows; of those that are ready the one with the smallest last
  // member.
  std::vector<std::size_t> order() const;
  // Bytes across the border; rows that don't fit the cache count once per walk.
  std::int64_t bytes(std::size_t cluster) const { return clusters_[cluster].bytes; }

 private:
  struct Cluster {
    std::vector<ir::NodeId> members;
    IterationSpace space;
    Border border;
    std::int64_t bytes = 0;
    bool kernel = false;
    Misfit misfit;
  };

  bool recomputed_by(ir::NodeId source, ir::NodeId reader) const;
  Border find_border(const std::vector<ir::NodeId>& members) const;
  std::int64_t count_bytes(const std::vector<ir::NodeId>& members, const IterationSpace& space,
                           const Border& border) const;
  std::expected<void, Misfit> check_repeated(const Merged& merged) const;
  bool makes_cycle(std::size_t a, std::size_t b) const;

  const ir::Graph& graph_;
  const FuseOptions& options_;
  const std::vector<Operand>& readings_;
  std::vector<std::vector<ir::NodeId>> users_;
  std::vector<bool> is_output_;
  std::vector<bool> is_kernel_alone_;  // has an iteration space: can read sources without memory
  std::vector<std::size_t> cluster_of_;
  std::vector<Cluster> clusters_;
};

}  // namespace foretell::passes
