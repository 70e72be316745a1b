// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/runtime/cpu/kernels/reduction_layout.hpp"

#include <algorithm>

namespace foretell::runtime::cpu::kernels {

ReductionLayout reduction_layout(const Tensor& x, std::span<const std::int64_t> axes) {
  Tensor kept{.data = x.data, .dtype = x.dtype, .shape = {}, .strides = {}};
  Tensor reduced = kept;
  for (std::size_t i = 0; i < x.shape.rank(); ++i) {
    const bool is_reduced = std::ranges::find(axes, static_cast<std::int64_t>(i)) != axes.end();
    Tensor& part = is_reduced ? reduced : kept;
    part.shape.push_back(x.shape[i]);
    part.strides.push_back(x.strides[i]);
  }
  ReductionLayout layout;
  layout.kept_axes = axes_of(kept, kept.shape);
  layout.reduced_axes = axes_of(reduced, reduced.shape);
  layout.results = kept.elements();
  layout.count = reduced.elements();

  const auto inner_stride = [](const Axes& a) {
    return a.rank == 0 ? 0 : a.stride[static_cast<std::size_t>(a.rank - 1)];
  };
  layout.by_columns =
      inner_stride(layout.kept_axes) == 1 && inner_stride(layout.reduced_axes) != 1 && layout.count > 1;
  if (layout.by_columns) {
    const std::int64_t run = layout.kept_axes.extent[static_cast<std::size_t>(layout.kept_axes.rank - 1)];
    layout.tile = std::min(run, kBlock);
    layout.tiles = layout.results / run * units_of(run, layout.tile);
    layout.chunk = std::max(kLeastChunkRows, kChunkElements / layout.tile);
  } else {
    layout.tile = rows_per_unit(layout.count);
    layout.tiles = units_of(layout.results, layout.tile);
    layout.chunk = kChunkElements;
  }
  layout.chunks = std::max<std::int64_t>(1, units_of(layout.count, layout.chunk));
  return layout;
}

std::int64_t ReductionLayout::tile_first(std::int64_t t) const {
  if (!by_columns) {
    return t * tile;
  }
  const std::int64_t run = kept_axes.extent[static_cast<std::size_t>(kept_axes.rank - 1)];
  const std::int64_t tiles_per_run = units_of(run, tile);
  return t / tiles_per_run * run + t % tiles_per_run * tile;
}

std::int64_t ReductionLayout::tile_size(std::int64_t t) const {
  const std::int64_t first = tile_first(t);
  if (!by_columns) {
    return std::min(tile, results - first);
  }
  const std::int64_t run = kept_axes.extent[static_cast<std::size_t>(kept_axes.rank - 1)];
  return std::min(tile, run - first % run);
}

}  // namespace foretell::runtime::cpu::kernels
