// SPDX-License-Identifier: Apache-2.0
// Any layout to any other of the same shape. Axes are ordered by the result's strides and merged; what is
// left is runs that are dense on both sides, or a transpose, which is done tile by tile.
#include <algorithm>

#include "fusion-engine/runtime/cpu/kernels/kernel_list.hpp"
#include "fusion-engine/runtime/cpu/kernels/staging.hpp"

namespace foretell::runtime::cpu::kernels {

namespace {

// Elements along a tile's side: 32 of 2 bytes make up a cache line, and a tile of 8 bytes, read and written,
// takes 16 KiB: half of a first-level cache.
constexpr std::int64_t kTile = 32;

struct Axis {
  std::int64_t extent = 1;
  std::int64_t from = 0;  // strides
  std::int64_t to = 0;
};

struct CopyPlan {
  std::array<Axis, ir::kMaxRank> outer;
  std::size_t outer_rank = 0;
  std::int64_t outer_count = 1;
  Axis rows;  // of a transpose: the axis along which the operand is dense
  Axis run;   // along which the result is dense, or nearly
  std::int64_t row_tiles = 1;
  std::int64_t run_tiles = 1;
  std::int64_t run_tile = 1;
  bool is_transpose = false;
};

CopyPlan plan_of(const KernelCall& call) {
  const Tensor& x = call.inputs[0];
  std::array<Axis, ir::kMaxRank> axes;
  std::size_t rank = 0;
  for (std::size_t i = 0; i < x.shape.rank(); ++i) {
    if (x.shape[i] == 1) {
      continue;
    }
    // By the result's strides, the largest first; equal ones stay in order.
    const Axis axis{.extent = x.shape[i], .from = x.strides[i], .to = call.output.strides[i]};
    std::size_t place = rank++;
    for (; place > 0 && axes[place - 1].to < axis.to; --place) {
      axes[place] = axes[place - 1];
    }
    axes[place] = axis;
  }
  std::size_t merged = 0;
  for (std::size_t i = 0; i < rank; ++i) {
    const Axis axis = axes[i];
    if (merged > 0) {
      Axis& last = axes[merged - 1];
      if (last.from == axis.from * axis.extent && last.to == axis.to * axis.extent) {
        last = {.extent = last.extent * axis.extent, .from = axis.from, .to = axis.to};
        continue;
      }
    }
    axes[merged++] = axis;
  }
  CopyPlan plan;
  if (merged > 0) {
    plan.run = axes[--merged];
  }
  // A transpose pays where neighbours of the operand are worth reading together.
  std::size_t dense = merged;
  for (std::size_t i = 0; i < merged; ++i) {
    dense = axes[i].from == 1 ? i : dense;
  }
  plan.is_transpose = plan.run.from != 1 && plan.run.from != 0 && dense < merged;
  for (std::size_t i = 0; i < merged; ++i) {
    if (plan.is_transpose && i == dense) {
      plan.rows = axes[i];
    } else {
      plan.outer[plan.outer_rank++] = axes[i];
      plan.outer_count *= axes[i].extent;
    }
  }
  plan.run_tile = plan.is_transpose ? kTile : kUnit;
  plan.row_tiles = units_of(plan.rows.extent, kTile);
  plan.run_tiles = units_of(plan.run.extent, plan.run_tile);
  return plan;
}

std::int64_t tiles_per_unit(const CopyPlan& plan) {
  const std::int64_t rows = plan.is_transpose ? std::min(kTile, plan.rows.extent) : 1;
  const std::int64_t elements = rows * std::min(plan.run_tile, plan.run.extent);
  return rows_per_unit(elements);
}
std::int64_t tiles_of(const CopyPlan& plan) { return plan.outer_count * plan.row_tiles * plan.run_tiles; }

std::int64_t units(const KernelCall& call, int /*stage*/) {
  const auto& plan = layout_in<CopyPlan>(call);
  return units_of(tiles_of(plan), tiles_per_unit(plan));
}

template <class T>
void transpose_tile(const T* from, T* to, const Axis& rows, const Axis& run, std::int64_t row_count,
                    std::int64_t run_count) {
  for (std::int64_t i = 0; i < row_count; ++i) {
    const T* source = from + i * rows.from;
    T* target = to + i * rows.to;
    for (std::int64_t j = 0; j < run_count; ++j) {
      target[j * run.to] = source[j * run.from];
    }
  }
}

template <class T>
void copy_run(const CopyPlan& plan, const T* from, T* to, std::int64_t n, bool stream) {
  constexpr auto size = static_cast<std::int64_t>(sizeof(T));
  if (plan.run.from == 1 && plan.run.to == 1 && stream) {
    isa().stream_copy(to, from, n * size, {});
  } else if (plan.run.to == 1) {
    gather_run(reinterpret_cast<const std::byte*>(from), plan.run.from, sizeof(T), n,
               reinterpret_cast<std::byte*>(to));
  } else {
    transpose_tile(from, to, Axis{}, plan.run, 1, n);
  }
}

template <class T>
void run_as(const KernelCall& call, std::int64_t begin, std::int64_t end) {
  const auto& plan = layout_in<CopyPlan>(call);
  const auto* from = reinterpret_cast<const T*>(call.inputs[0].data);
  auto* to = reinterpret_cast<T*>(call.output.data);
  const std::int64_t last = std::min(end * tiles_per_unit(plan), tiles_of(plan));
  for (std::int64_t tile = begin * tiles_per_unit(plan); tile < last; ++tile) {
    // Tiles of one stretch of rows after each other: the operand's lines are used again while they are in the
    // cache.
    const std::int64_t run_first = tile % plan.run_tiles * plan.run_tile;
    const std::int64_t row_first = tile / plan.run_tiles % plan.row_tiles * kTile;
    std::int64_t outer = tile / plan.run_tiles / plan.row_tiles;
    std::int64_t from_offset = run_first * plan.run.from + row_first * plan.rows.from;
    std::int64_t to_offset = run_first * plan.run.to + row_first * plan.rows.to;
    for (std::size_t i = plan.outer_rank; i-- > 0;) {
      const std::int64_t index = outer % plan.outer[i].extent;
      outer /= plan.outer[i].extent;
      from_offset += index * plan.outer[i].from;
      to_offset += index * plan.outer[i].to;
    }
    const std::int64_t run_count = std::min(plan.run_tile, plan.run.extent - run_first);
    if (plan.is_transpose) {
      const std::int64_t row_count = std::min(kTile, plan.rows.extent - row_first);
      transpose_tile(from + from_offset, to + to_offset, plan.rows, plan.run, row_count, run_count);
    } else {
      copy_run(plan, from + from_offset, to + to_offset, run_count, call.stream_output);
    }
  }
  if (call.stream_output) {
    isa().stream_fence();
  }
}

void run(const KernelCall& call, int /*stage*/, std::int64_t begin, std::int64_t end) {
  switch (ir::size_bytes(call.output.dtype)) {
    case 1: run_as<std::uint8_t>(call, begin, end); break;
    case 2: run_as<std::uint16_t>(call, begin, end); break;
    case 4: run_as<std::uint32_t>(call, begin, end); break;
    default: run_as<std::uint64_t>(call, begin, end); break;
  }
}

}  // namespace

const CpuKernel kCopyKernel{lay_out<plan_of>, one_stage, units, no_scratch, run};

}  // namespace foretell::runtime::cpu::kernels
