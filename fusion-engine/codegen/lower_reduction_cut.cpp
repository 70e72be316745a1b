// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/codegen/lower_reduction_cut.hpp"

#include <algorithm>

#include "fusion-engine/codegen/lower_extents.hpp"

namespace foretell::codegen {
namespace {

// Elements of a unit of short rows: 16 KiB of f32.
constexpr std::int64_t kRowsElements = 4096;
// Split when a team of this size would have idle lanes, and a unit is at least this many chunks long.
constexpr std::int64_t kEnoughUnits = 64;
constexpr std::int64_t kChunkElements = 16384;
constexpr std::int64_t kChunksWorthSplitting = 4;
// Partial results that each unit of the next walk has to combine.
constexpr std::int64_t kMostChunks = 256;
// Columns taken at a time: rows of 2 KiB of f32 are long enough for the hardware's prefetch streams.
constexpr std::int64_t kTileColumns = 512;
// Elements of a tile that several walks visit: 256 KiB of f32 stay in a private cache.
constexpr std::int64_t kTileElements = 65536;

}  // namespace

ReductionCut cut_reduction(const Nest& nest, int lanes) {
  const std::size_t first_inner = nest.outer + nest.reduced;
  const std::int64_t first_extent = nest.dims[nest.outer].extent;
  const std::int64_t length = extent_product(nest, nest.outer, first_inner);
  std::int64_t units = extent_product(nest, 0, nest.outer);
  ReductionCut cut;
  cut.columns = nest.inner() > 0;
  if (cut.columns) {
    const std::int64_t columns = nest.dims.back().extent;
    const std::int64_t fitting =
        nest.space.walks > 1 ? kTileElements / std::max<std::int64_t>(1, length) : kTileColumns;
    cut.tile = std::min(columns, round_up(std::clamp<std::int64_t>(fitting, 1, kTileColumns), lanes));
    units *= extent_product(nest, first_inner, nest.dims.size() - 1) * divide_up(columns, cut.tile);
  }
  const std::int64_t unit_elements = length * cut.tile;
  if (units < kEnoughUnits && unit_elements >= kChunksWorthSplitting * kChunkElements) {
    const std::int64_t step_elements = unit_elements / first_extent;
    const std::int64_t chunk_elements = std::max(kChunkElements, unit_elements / kMostChunks);
    cut.chunk = round_up(divide_up(chunk_elements, step_elements), lanes);
    cut.split = cut.chunk < first_extent;
    cut.chunks = cut.split ? divide_up(first_extent, cut.chunk) : 1;
  }
  if (!cut.split && !cut.columns && nest.outer > 0) {
    cut.rows = std::clamp<std::int64_t>(kRowsElements / std::max<std::int64_t>(1, length), 1,
                                        nest.dims[nest.outer - 1].extent);
  }
  return cut;
}

}  // namespace foretell::codegen
