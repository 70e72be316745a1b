// SPDX-License-Identifier: Apache-2.0
// Views (permute, reshape, slice, expand) as another reading of the same memory.
#pragma once

#include <cstdint>
#include <optional>

#include "fusion-engine/ir/graph.hpp"

namespace foretell::ir {

// Where the elements of a value lie in memory, in elements: index i of the shape is element
// offset + sum(i[k] * strides[k]).
struct Layout {
  Shape shape;
  std::int64_t offset = 0;
  Dims strides;
  friend bool operator==(const Layout&, const Layout&) = default;
};

// The layout that a value of its own has: row-major, without gaps.
Layout dense_layout(const Shape& shape);

// The layout of `node`, a view op, where its operand has the layout `operand`; nullopt for a reshape that
// strides can't express.
std::optional<Layout> view_of(const Node& node, const Layout& operand);

}  // namespace foretell::ir
