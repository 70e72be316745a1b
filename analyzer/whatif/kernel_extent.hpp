// SPDX-License-Identifier: Apache-2.0
// How many elements a kernel works on: exactly where the shapes of its op are recorded, within one tile where
// only the launch geometry of a framework kernel is.
#pragma once

#include "analyzer/whatif/kernel_geometry.hpp"

namespace foretell::whatif {

struct Extent {
  double low = 0, high = 0;  // elements; 0: unknown
  // Threads, where a release of the framework hides how many elements each takes: the same number throughout
  // a trace, so two such kernels compare by their threads. 0: not so.
  double scaled_threads = 0;

  [[nodiscard]] bool known() const { return high > 0; }
  [[nodiscard]] bool overlaps(const Extent& other) const;
};

// Of a framework's elementwise kernel: a grid covers its elements with at most one tile (a block's elements)
// to spare. Unknown for any other.
Extent extent_of_geometry(const ElementwiseTraits& traits, double blocks, double threads_per_block);

// Rows of `whole`: smaller, and a divisor of it where both are exact.
bool is_row_count(const Extent& rows, const Extent& whole);

}  // namespace foretell::whatif
