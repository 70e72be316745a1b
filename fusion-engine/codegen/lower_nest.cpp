// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/codegen/lower_nest.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "src/base/check.hpp"

namespace foretell::codegen {
namespace {

using ir::Graph;
using ir::NodeId;
using passes::FusionGroup;
using passes::Placement;

class Builder {
 public:
  Builder(const Graph& graph, const FusionGroup& group) : graph_(graph), group_(group) {
    auto space = passes::find_space(graph, group.nodes);
    FORETELL_CHECK(space.has_value());  // fuse makes no other groups
    nest_.space = *std::move(space);
    nest_.nodes = group.nodes;
    rank_ = nest_.space.shape.rank();
  }

  Nest run() {
    for (std::size_t i = 0; i < group_.nodes.size(); ++i) {
      for (const NodeId operand : graph_.node(group_.nodes[i]).operands) {
        add_read(operand, i);
      }
    }
    for (const NodeId output : group_.outputs) {
      const Placement& placement = nest_.placement(output);
      const ir::Shape& shape = graph_.type(output).shape;
      nest_.writes[output] =
          add({.value = output,
               .offset = 0,
               .strides = along_space(shape, ir::dense_strides(shape), placement.axes.data())});
      if (passes::is_cheap_source(graph_.node(output))) {
        nest_.reads[{output, output}] = add(source_access(output, placement.axes.data()));
      }
    }
    join_axes();
    return std::move(nest_);
  }

 private:
  std::size_t add(NestAccess access) {
    const auto it = std::ranges::find(nest_.accesses, access);
    if (it != nest_.accesses.end()) {
      return static_cast<std::size_t>(it - nest_.accesses.begin());
    }
    nest_.accesses.push_back(std::move(access));
    return nest_.accesses.size() - 1;
  }

  // Strides by axis of the value -> strides by axis of the space.
  std::vector<std::int64_t> along_space(const ir::Shape& shape, const ir::Dims& strides,
                                        const std::int8_t* axes) const {
    std::vector<std::int64_t> result(rank_, 0);
    for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
      if (shape[axis] != 1 && axes[axis] >= 0) {
        result[static_cast<std::size_t>(axes[axis])] = strides[axis];
      }
    }
    return result;
  }

  // The "memory" of a source is its own element number, or for iota the index along its axis.
  NestAccess source_access(NodeId source, const std::int8_t* axes) const {
    const ir::Node& node = graph_.node(source);
    const ir::Shape& shape = node.type.shape;
    ir::Dims strides = ir::dense_strides(shape);
    if (node.op == ir::OpKind::Iota) {
      const auto along = static_cast<std::size_t>(node.attributes.integer(ir::AttrKey::Axis));
      for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
        strides[axis] = axis == along ? 1 : 0;
      }
    }
    return {.value = source, .offset = 0, .strides = along_space(shape, strides, axes)};
  }

  void add_read(NodeId operand, std::size_t reader) {
    const auto member = nest_.member(operand);
    if (member && !passes::is_cheap_source(graph_.node(operand))) {
      return;
    }
    const ir::Node& node = graph_.node(group_.nodes[reader]);
    const ir::Shape& shape = graph_.type(operand).shape;
    // A reduction's operand has the space's shape; other operands are right-aligned with their reader.
    std::array<std::int8_t, ir::kMaxRank> axes{};
    const bool reduction = ir::category(node.op) == ir::Category::Reduction;
    const std::size_t lead = reduction ? 0 : node.type.shape.rank() - shape.rank();
    for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
      axes[axis] =
          reduction ? static_cast<std::int8_t>(axis) : nest_.space.placements[reader].axes[lead + axis];
    }
    if (member) {
      nest_.reads[{operand, node_id(reader)}] = add(source_access(operand, axes.data()));
      return;
    }
    const auto it = std::ranges::find(group_.inputs, operand, &passes::Operand::value);
    if (it == group_.inputs.end()) {
      return;  // a constant, perhaps through views
    }
    nest_.reads[{operand, node_id(reader)}] = add(
        {.value = operand, .offset = it->offset, .strides = along_space(shape, it->strides, axes.data())});
  }

  NodeId node_id(std::size_t member) const { return group_.nodes[member]; }

  void join_axes() {
    const auto& reduced = nest_.space.reduced_axes;
    const std::size_t first = reduced.empty() ? rank_ : static_cast<std::size_t>(reduced.front());
    const std::size_t last = reduced.empty() ? rank_ : static_cast<std::size_t>(reduced.back()) + 1;
    std::vector<std::vector<std::int64_t>> joined(nest_.accesses.size());
    const auto join = [&](std::size_t begin, std::size_t end, bool required) {
      const std::size_t before = nest_.dims.size();
      for (std::size_t axis = begin; axis < end; ++axis) {
        append_axis(axis, nest_.dims.size() > before, joined);
      }
      if (required && nest_.dims.size() == before) {
        nest_.dims.push_back({});
        for (auto& strides : joined) {
          strides.push_back(0);
        }
      }
      return nest_.dims.size() - before;
    };
    nest_.outer = join(0, first, reduced.empty());
    nest_.reduced = join(first, last, !reduced.empty());
    join(last, rank_, false);
    for (std::size_t i = 0; i < nest_.dims.size(); ++i) {
      nest_.dims[i].name = fmt::format("i{}", i);
    }
    for (std::size_t i = 0; i < joined.size(); ++i) {
      nest_.accesses[i].strides = std::move(joined[i]);
    }
  }

  // A new dimension, or a longer last one if every access walks the two as one.
  void append_axis(std::size_t axis, bool may_join, std::vector<std::vector<std::int64_t>>& joined) {
    const std::int64_t extent = nest_.space.shape[axis];
    if (extent == 1) {
      return;
    }
    bool joins = may_join;
    for (std::size_t i = 0; joins && i < joined.size(); ++i) {
      joins = joined[i].back() == nest_.accesses[i].strides[axis] * extent;
    }
    for (std::size_t i = 0; i < joined.size(); ++i) {
      const std::int64_t stride = nest_.accesses[i].strides[axis];
      if (joins) {
        joined[i].back() = stride;
      } else {
        joined[i].push_back(stride);
      }
    }
    if (joins) {
      nest_.dims.back().extent *= extent;
    } else {
      nest_.dims.push_back({.name = {}, .extent = extent});
    }
  }

  const Graph& graph_;
  const FusionGroup& group_;
  std::size_t rank_ = 0;
  Nest nest_;
};

}  // namespace

std::optional<std::size_t> Nest::member(NodeId id) const {
  const auto it = std::ranges::lower_bound(nodes, id);
  if (it == nodes.end() || *it != id) {
    return std::nullopt;
  }
  return static_cast<std::size_t>(it - nodes.begin());
}

const Placement& Nest::placement(NodeId id) const {
  const auto position = member(id);
  FORETELL_CHECK(position.has_value());
  return space.placements[*position];
}

std::int64_t extent_product(const Nest& nest, std::size_t first, std::size_t last) {
  std::int64_t product = 1;
  for (std::size_t dim = first; dim < last; ++dim) {
    product *= nest.dims[dim].extent;
  }
  return product;
}

int flops_behind(const Graph& graph, const Nest& nest, NodeId id, std::set<NodeId>& seen) {
  const auto member = nest.member(id);
  const ir::Node& node = graph.node(id);
  if (!member || nest.space.placements[*member].extent != Placement::Extent::Full ||
      ir::category(node.op) == ir::Category::Reduction || !seen.insert(id).second) {
    return 0;
  }
  int flops = ir::info(node.op).flops;
  for (const NodeId operand : node.operands) {
    flops += flops_behind(graph, nest, operand, seen);
  }
  return flops;
}

Nest build_nest(const Graph& graph, const FusionGroup& group) { return Builder(graph, group).run(); }

}  // namespace foretell::codegen
