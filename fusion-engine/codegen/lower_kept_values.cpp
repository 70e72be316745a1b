// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/codegen/lower_kept_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "fusion-engine/codegen/lower_extents.hpp"

namespace foretell::codegen {
namespace {

namespace loop = ir::loop;
using ir::Category;
using ir::Graph;
using ir::NodeId;
using passes::FusionGroup;
using passes::Placement;

// A load from the first-level cache, and the store before it, in flops.
constexpr int kWorthKeeping = 8;
// All kept rows together: most of a first-level cache of 48 KiB, where the walks find them again.
constexpr std::int64_t kMostRowBytes = 32 << 10;
// Kept tiles: as much as the tile of the operand, which lies in a private second-level cache, too.
constexpr std::int64_t kMostColumnBytes = 256 << 10;

class Chooser {
 public:
  Chooser(const Graph& graph, const FusionGroup& group, const Nest& nest)
      : graph_(graph), group_(group), nest_(nest) {}

  std::vector<KeptValue> run() {
    std::map<NodeId, int> first;  // walk that computes the value
    std::vector<KeptValue> kept;
    for (int walk = 0; walk < nest_.space.walks; ++walk) {
      asked_.clear();
      for (std::size_t i = 0; i < group_.nodes.size(); ++i) {
        add_roots(i, walk);
      }
      for (const NodeId id : asked_) {
        const auto known = first.find(id);
        if (known == first.end() || !is_worth_keeping(id) || is_kept(kept, id)) {
          continue;
        }
        // Read by what this walk computes and the first one did not, or by its reductions and outputs
        // themselves.
        if (roots_.contains(id) || has_new_reader(id, first)) {
          kept.push_back({.value = id, .walk = known->second});
        }
      }
      for (const NodeId id : asked_) {
        first.emplace(id, walk);
      }
      roots_.clear();
    }
    return kept;
  }

 private:
  static bool is_kept(const std::vector<KeptValue>& kept, NodeId id) {
    return std::ranges::find(kept, id, &KeptValue::value) != kept.end();
  }

  void add_roots(std::size_t member, int walk) {
    const NodeId id = group_.nodes[member];
    const Placement& placement = nest_.space.placements[member];
    if (is_reduction(id)) {
      const bool twice = graph_.node(id).op == ir::OpKind::Var;
      if (placement.level == walk + 1 || (twice && placement.level == walk + 2)) {
        roots_.insert(graph_.node(id).operands[0]);
        visit(graph_.node(id).operands[0]);
      }
    } else if (placement.extent == Placement::Extent::Full && placement.level == walk &&
               std::ranges::binary_search(group_.outputs, id)) {
      roots_.insert(id);
      visit(id);
    }
  }

  void visit(NodeId id) {
    if (!is_full(id) || !asked_.insert(id).second) {
      return;
    }
    for (const NodeId operand : graph_.node(id).operands) {
      visit(operand);
    }
  }

  bool is_reduction(NodeId id) const { return ir::category(graph_.node(id).op) == Category::Reduction; }

  // Computed per element of the space.
  bool is_full(NodeId id) const {
    const auto member = nest_.member(id);
    const Category category = ir::category(graph_.node(id).op);
    return member && category != Category::Reduction && category != Category::Source &&
           nest_.space.placements[*member].extent == Placement::Extent::Full;
  }

  bool has_new_reader(NodeId id, const std::map<NodeId, int>& first) const {
    return std::ranges::any_of(asked_, [&](NodeId reader) {
      const auto& operands = graph_.node(reader).operands;
      return !first.contains(reader) && std::ranges::find(operands, id) != operands.end();
    });
  }

  bool is_worth_keeping(NodeId id) const {
    std::set<NodeId> seen;
    return flops_behind(graph_, nest_, id, seen) >= kWorthKeeping;
  }

  const Graph& graph_;
  const FusionGroup& group_;
  const Nest& nest_;
  std::set<NodeId> asked_;  // by the walk at hand
  std::set<NodeId> roots_;
};

}  // namespace

KeptValues::KeptValues(Emitter& emitter, const ReductionCut& cut) : emitter_(emitter), cut_(cut) {
  const Nest& nest = emitter.nest();
  // The walks of chunks are stages of their own. A row of one element is read where there is no loop over it.
  if (cut.split || extent_product(nest, nest.outer, nest.outer + nest.reduced) <= 1) {
    return;
  }
  kept_ = Chooser(emitter.graph(), emitter.group(), nest).run();
  std::int64_t bytes = 0;
  for (const KeptValue& one : kept_) {
    const ir::DType dtype = ir::compute_type(emitter.graph().type(one.value).dtype);
    bytes += elements() * static_cast<std::int64_t>(ir::size_bytes(dtype));
  }
  if (bytes > (cut.columns ? kMostColumnBytes : kMostRowBytes)) {
    kept_.clear();
  }
}

void KeptValues::keep(int walk) {
  for (const KeptValue& one : kept_) {
    if (one.walk != walk) {
      continue;
    }
    const std::string value = emitter_.member(one.value);
    const ir::DType dtype = ir::compute_type(emitter_.graph().type(one.value).dtype);
    const std::string buffer = emitter_.add_local(cut_.columns ? "tile" : "row", dtype, elements());
    emitter_.append({loop::Store{.buffer = buffer, .at = place(), .value = value, .stream = false}});
    emitter_.keep_in(one.value, buffer, place());
  }
}

std::string KeptValues::names(int walk) const {
  std::string names;
  for (const KeptValue& one : kept_) {
    if (one.walk == walk) {
      names += fmt::format("{}{}", names.empty() ? "" : ", ", emitter_.name_of(one.value));
    }
  }
  return names;
}

// Of one value: a row, or a tile of columns. Each innermost stretch takes whole vectors.
std::int64_t KeptValues::elements() const {
  const Nest& nest = emitter_.nest();
  const std::size_t past = nest.outer + nest.reduced;
  const std::int64_t stretch = cut_.columns ? cut_.tile : nest.dims.back().extent;
  return extent_product(nest, nest.outer, cut_.columns ? past : past - 1) *
         round_up(stretch, emitter_.lanes());
}

// The reduced dimensions, and columns of the unit's tile.
loop::Place KeptValues::place() const {
  const Nest& nest = emitter_.nest();
  const NestDim& last = nest.dims.back();
  loop::Place at{.offset = 0, .terms = {}, .lane_stride = 1};
  std::int64_t stride = elements();
  for (std::size_t dim = nest.outer; dim < nest.outer + nest.reduced; ++dim) {
    stride = dim + 1 == nest.dims.size() ? 1 : stride / nest.dims[dim].extent;
    at.terms.push_back({.index = nest.dims[dim].name, .stride = stride});
  }
  if (cut_.columns) {
    at.terms.push_back({.index = last.name, .stride = 1});
    if (cut_.tile < last.extent) {
      at.terms.push_back({.index = last.name + "_first", .stride = -1});
    }
  }
  return at;
}

}  // namespace foretell::codegen
