// SPDX-License-Identifier: Apache-2.0
// Whether ops fit one loop nest, and how each value lies in it. Shared by fuse and by the lowering, so that
// what is legal and what is generated can't differ.
#pragma once

#include <array>
#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fusion-engine/ir/graph.hpp"

namespace foretell::passes {

// How a member's value lies in the space.
struct Placement {
  enum class Extent : std::uint8_t {
    Full,     // an element per element of the space
    Reduced,  // one per unit: the space without its reduced axes
    Partial,  // fewer: repeated along other axes, so it can't be written by the kernel
  };
  std::array<std::int8_t, ir::kMaxRank> axes{};  // of the space, per axis of the value; -1 for a leading 1
  Extent extent = Extent::Full;
  // Walks over the reduced axes that are complete before the value can be computed.
  int level = 0;
};

struct IterationSpace {
  ir::Shape shape;
  std::vector<std::int64_t> reduced_axes;  // ascending, adjacent but for extents of 1
  std::vector<Placement> placements;       // by position in the members
  int walks = 1;                           // over the reduced axes: softmax takes 3 (largest, sum, quotient)
};

// Why not: `reason` is a Refusal's; `text` completes "... because <text>".
struct Misfit {
  ir::NodeId node{};
  std::string_view reason;
  std::string text;
};

// Ops that a kernel can take: elementwise, casts, iota, random_uniform, reductions.
bool is_fusible(const ir::Node& node);
// Of those, the ones without operands: computed again wherever they are read.
bool is_cheap_source(const ir::Node& node);

// `members` ascending, all fusible. The space is that of the reductions' operands, or the largest of the
// shapes.
std::expected<IterationSpace, Misfit> find_space(const ir::Graph& graph, std::span<const ir::NodeId> members);

// Name for sentences: "relu %7".
std::string describe(const ir::Graph& graph, ir::NodeId id);

}  // namespace foretell::passes
