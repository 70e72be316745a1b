// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/passes/iteration_space.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace foretell::passes {
namespace {

using ir::AttrKey;
using ir::Category;
using ir::Graph;
using ir::Node;
using ir::NodeId;
using ir::OpKind;
using ir::Shape;

class Finder {
 public:
  Finder(const Graph& graph, std::span<const NodeId> members) : graph_(graph), members_(members) {
    drops_axes_.resize(members.size(), false);
  }

  std::expected<IterationSpace, Misfit> run() {
    if (auto trouble = choose_space()) {
      return std::unexpected(*std::move(trouble));
    }
    find_dropped();
    space_.placements.resize(members_.size());
    for (std::size_t i = 0; i < members_.size(); ++i) {
      if (auto trouble = place(i)) {
        return std::unexpected(*std::move(trouble));
      }
    }
    return std::move(space_);
  }

 private:
  const Node& node(std::size_t member) const { return graph_.node(members_[member]); }

  std::optional<std::size_t> position(NodeId id) const {
    const auto it = std::ranges::lower_bound(members_, id);
    if (it == members_.end() || *it != id) {
      return std::nullopt;
    }
    return static_cast<std::size_t>(it - members_.begin());
  }

  std::optional<Misfit> choose_space() {
    std::optional<NodeId> first;
    for (const NodeId id : members_) {
      const Node& op = graph_.node(id);
      if (!ir::is_reduction(op.op)) {
        continue;
      }
      const Shape& shape = graph_.type(op.operands[0]).shape;
      const std::vector<std::int64_t> axes = ir::reduced_axes(op);
      if (!first) {
        first = id;
        space_.shape = shape;
        space_.reduced_axes = axes;
      } else if (shape != space_.shape || axes != space_.reduced_axes) {
        return Misfit{.node = id,
                      .reason = "reduction-shape",
                      .text = fmt::format("{} reduces {} over [{}] and {} reduces {} over [{}]",
                                          describe(graph_, *first), ir::to_string(space_.shape),
                                          fmt::join(space_.reduced_axes, ","), describe(graph_, id),
                                          ir::to_string(shape), fmt::join(axes, ","))};
      }
    }
    if (first) {
      return check_adjacent(*first);
    }
    // Sources are computed wherever they are read: of rows and of columns, they don't agree on a space.
    const bool any =
        std::ranges::any_of(members_, [&](NodeId id) { return !is_cheap_source(graph_.node(id)); });
    for (const NodeId id : members_) {
      if (any && is_cheap_source(graph_.node(id))) {
        continue;
      }
      const Shape& shape = graph_.type(id).shape;
      const auto both = ir::broadcast(space_.shape, shape);
      if (!both || (*both != shape && *both != space_.shape)) {
        return Misfit{.node = id,
                      .reason = "shape",
                      .text = fmt::format("{} walks {}, the other {}", describe(graph_, id),
                                          ir::to_string(shape), ir::to_string(space_.shape))};
      }
      space_.shape = *both;
    }
    return std::nullopt;
  }

  std::optional<Misfit> check_adjacent(NodeId reduction) const {
    const auto& axes = space_.reduced_axes;
    for (std::size_t i = 1; i < axes.size(); ++i) {
      for (std::int64_t between = axes[i - 1] + 1; between < axes[i]; ++between) {
        if (space_.shape[static_cast<std::size_t>(between)] != 1) {
          return Misfit{
              .node = reduction,
              .reason = "reduction-axes",
              .text = fmt::format("{} reduces axes that aren't adjacent", describe(graph_, reduction))};
        }
      }
    }
    return std::nullopt;
  }

  // A reduction that drops its axes leaves values whose axes are those that remain. What is computed from
  // them, and what is computed with them, lies alike.
  void find_dropped() {
    bool changed = true;
    const auto mark = [&](std::size_t i) {
      if (!drops_axes_[i]) {
        drops_axes_[i] = true;
        changed = true;
      }
    };
    while (changed) {
      changed = false;
      for (std::size_t i = 0; i < members_.size(); ++i) {
        if (ir::is_reduction(node(i).op)) {
          if (!node(i).attributes.flag(AttrKey::KeepDims)) {
            mark(i);
          }
          continue;
        }
        for (const NodeId operand : node(i).operands) {
          const auto at = position(operand);
          if (!at) {
            continue;
          }
          const bool fits = node(i).type.shape.rank() <= space_.shape.rank() - space_.reduced_axes.size();
          if (drops_axes_[*at] && fits) {
            mark(i);
          } else if (drops_axes_[i] && !ir::is_reduction(node(*at).op)) {
            mark(*at);
          }
        }
      }
    }
  }

  std::optional<Misfit> place(std::size_t i) {
    if (auto trouble = place_axes(i)) {
      return trouble;
    }
    Placement& placement = space_.placements[i];
    const Node& op = node(i);
    for (const NodeId operand : op.operands) {
      const auto at = position(operand);
      if (!at || is_cheap_source(node(*at))) {
        continue;
      }
      const Placement& from = space_.placements[*at];
      placement.level = std::max(placement.level, from.level);
      if (ir::is_reduction(op.op) ? drops_axes_[*at]
                                  : !lies_alike(from, graph_.type(operand).shape, placement, op.type.shape)) {
        return Misfit{.node = members_[i],
                      .reason = "shape",
                      .text = fmt::format("{} reads the result of {} along other axes",
                                          describe(graph_, members_[i]), describe(graph_, operand))};
      }
    }
    if (ir::is_reduction(op.op)) {
      // The variance first walks for the mean: squares of deviations don't cancel as differences of squares
      // do.
      placement.level += op.op == OpKind::Var ? 2 : 1;
      space_.walks = std::max(space_.walks, placement.level);
    } else if (placement.extent == Placement::Extent::Full) {
      space_.walks = std::max(space_.walks, placement.level + 1);
    }
    return std::nullopt;
  }

  std::optional<Misfit> place_axes(std::size_t i) {
    Placement& placement = space_.placements[i];
    const Shape& shape = node(i).type.shape;
    std::vector<std::int8_t> axes;  // that the value's axes are right-aligned with
    for (std::size_t axis = 0; axis < space_.shape.rank(); ++axis) {
      if (!drops_axes_[i] || !is_reduced(axis)) {
        axes.push_back(static_cast<std::int8_t>(axis));
      }
    }
    placement.axes.fill(-1);
    std::vector<bool> covered(space_.shape.rank(), false);
    bool fits = true;
    for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
      const std::size_t from_end = shape.rank() - axis;
      if (from_end > axes.size()) {
        fits = fits && shape[axis] == 1;
        continue;
      }
      const std::int8_t at = axes[axes.size() - from_end];
      placement.axes[axis] = at;
      covered[static_cast<std::size_t>(at)] = shape[axis] != 1;
      fits = fits && (shape[axis] == 1 || shape[axis] == space_.shape[static_cast<std::size_t>(at)]);
    }
    if (!fits && !is_cheap_source(node(i))) {
      return Misfit{.node = members_[i],
                    .reason = "shape",
                    .text = fmt::format("{} gives {}, the loops walk {}", describe(graph_, members_[i]),
                                        ir::to_string(shape), ir::to_string(space_.shape))};
    }
    bool over_units = fits;
    bool over_reduced = fits;
    for (std::size_t axis = 0; axis < space_.shape.rank(); ++axis) {
      if (space_.shape[axis] != 1 && !covered[axis]) {
        (is_reduced(axis) ? over_reduced : over_units) = false;
      }
    }
    bool any_reduced = false;
    for (std::size_t axis = 0; axis < space_.shape.rank(); ++axis) {
      any_reduced = any_reduced || (is_reduced(axis) && covered[axis]);
    }
    using enum Placement::Extent;
    placement.extent = over_units && over_reduced ? Full : over_units && !any_reduced ? Reduced : Partial;
    return std::nullopt;
  }

  bool is_reduced(std::size_t axis) const {
    return std::ranges::find(space_.reduced_axes, static_cast<std::int64_t>(axis)) !=
           space_.reduced_axes.end();
  }

  static bool lies_alike(const Placement& from, const Shape& shape, const Placement& to,
                         const Shape& to_shape) {
    const std::size_t lead = to_shape.rank() - shape.rank();
    for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
      if (shape[axis] != 1 && from.axes[axis] != to.axes[lead + axis]) {
        return false;
      }
    }
    return true;
  }

  const Graph& graph_;
  std::span<const NodeId> members_;
  std::vector<bool> drops_axes_;
  IterationSpace space_;
};

}  // namespace

bool is_fusible(const Node& node) {
  switch (ir::category(node.op)) {
    case Category::Elementwise:
    case Category::Cast:
    case Category::Reduction: return true;
    case Category::Source: return is_cheap_source(node);
    case Category::Matmul:
    case Category::Convolution:
    case Category::View:
    case Category::Movement:
    case Category::Composite: return false;
  }
  return false;
}

bool is_cheap_source(const Node& node) { return node.op == OpKind::Iota || node.op == OpKind::RandomUniform; }

std::expected<IterationSpace, Misfit> find_space(const Graph& graph, std::span<const NodeId> members) {
  return Finder(graph, members).run();
}

std::string describe(const Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  if (node.op == OpKind::Input) {
    return fmt::format("input {}", node.attributes.text(AttrKey::Name));
  }
  return fmt::format("{} %{}", ir::to_string(node.op), ir::index(id));
}

}  // namespace foretell::passes
