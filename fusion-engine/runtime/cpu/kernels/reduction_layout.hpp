// SPDX-License-Identifier: Apache-2.0
// How a reduction's operand is walked. Fixed by shapes and strides alone, so that results don't depend on the
// team.
#pragma once

#include <span>

#include "fusion-engine/runtime/cpu/kernel.hpp"
#include "fusion-engine/runtime/cpu/kernels/staging.hpp"

namespace foretell::runtime::cpu::kernels {

// Elements read for one partial result: long enough that the partial results (8 bytes each) don't count,
// short enough to share the work of a single large reduction.
inline constexpr std::int64_t kChunkElements = 1 << 17;
inline constexpr std::int64_t kLeastChunkRows = 256;

struct ReductionLayout {
  // The operand's axes that stay, and those that are reduced; both start at the operand's data.
  Axes kept_axes;
  Axes reduced_axes;
  std::int64_t results = 0;
  std::int64_t count = 0;  // elements per result

  // Results next to each other are next to each other in memory, and reduced elements are not: rows of
  // results are combined. Else each result's elements are combined, one result after the other.
  bool by_columns = false;
  std::int64_t tile = 1;  // results per tile: of one run of columns, or any
  std::int64_t tiles = 0;
  std::int64_t chunk = 0;  // reduced elements per partial result
  std::int64_t chunks = 0;

  // The tile's first result and number of them.
  std::int64_t tile_first(std::int64_t t) const;
  std::int64_t tile_size(std::int64_t t) const;
};

// `axes` are those reduced.
ReductionLayout reduction_layout(const Tensor& x, std::span<const std::int64_t> axes);

}  // namespace foretell::runtime::cpu::kernels
