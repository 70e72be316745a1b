// SPDX-License-Identifier: Apache-2.0
// gather, scatter_add and index_copy along an axis: x [outer, extent, inner], index of any shape in the
// axis's place.
#include <algorithm>
#include <cstring>

#include "fusion-engine/runtime/cpu/kernels/index.hpp"
#include "fusion-engine/runtime/cpu/kernels/kernel_list.hpp"

namespace foretell::runtime::cpu::kernels {

namespace {

std::size_t axis_of(const KernelCall& call) {
  return static_cast<std::size_t>(call.attributes->integer(ir::AttrKey::Axis));
}

std::int64_t gather_units(const KernelCall& call, int /*stage*/) {
  const AroundAxis x = around_axis(call.inputs[0].shape, axis_of(call));
  return units_of(x.outer * call.inputs[1].elements(), rows_per_unit(x.inner));
}

// A row of the result: `inner` elements of x. Out of range: zeros.
void run_gather(const KernelCall& call, int /*stage*/, std::int64_t begin, std::int64_t end) {
  const Tensor& x = call.inputs[0];
  const AroundAxis around = around_axis(x.shape, axis_of(call));
  const Axes axes = axes_of(x, x.shape);
  const Indices indices(call.inputs[1], around.extent, call.error);
  const std::int64_t count = indices.count();
  const std::size_t bytes = ir::size_bytes(x.dtype);
  const std::int64_t row_bytes = around.inner * static_cast<std::int64_t>(bytes);
  const std::int64_t per_unit = rows_per_unit(around.inner);
  const std::int64_t last = std::min(end * per_unit, around.outer * count);
  for (std::int64_t row = begin * per_unit; row < last; ++row) {
    const std::int64_t index = indices[row % count];
    std::byte* to = call.output.data + row * row_bytes;
    if (index < 0) {
      std::memset(to, 0, static_cast<std::size_t>(row_bytes));
      continue;
    }
    gather_elements(x.data, axes, bytes, (row / count * around.extent + index) * around.inner, around.inner,
                    to);
  }
}

// Each unit owns some rows of the result and changes them in the order of the indices. Where the result lies
// over x there are no more parts than indices: each unit looks at all of them, and does no more.
constexpr std::int64_t kParts = 16;

std::int64_t parts_of(const KernelCall& call, std::int64_t extent) {
  const std::int64_t parts = std::min(kParts, extent);
  return writes_over_operand(call) ? std::clamp<std::int64_t>(call.inputs[1].elements(), 1, parts) : parts;
}

std::int64_t change_units(const KernelCall& call, int /*stage*/) {
  const AroundAxis x = around_axis(call.inputs[0].shape, axis_of(call));
  return x.outer * parts_of(call, x.extent);
}

// change(first element of a row of the result, that of the updates' row).
template <class Change>
void change_rows(const KernelCall& call, std::int64_t begin, std::int64_t end, Change change) {
  const Tensor& x = call.inputs[0];
  const AroundAxis around = around_axis(x.shape, axis_of(call));
  const Axes axes = axes_of(x, x.shape);
  const Indices indices(call.inputs[1], around.extent, call.error);
  const std::int64_t count = indices.count();
  const std::int64_t parts = parts_of(call, around.extent);
  for (std::int64_t unit = begin; unit < end; ++unit) {
    const std::int64_t outer = unit / parts;
    const std::int64_t first = around.extent * (unit % parts) / parts;
    const std::int64_t last = around.extent * (unit % parts + 1) / parts;
    const std::int64_t start = (outer * around.extent + first) * around.inner;
    if (!writes_over_operand(call)) {
      gather_elements(x.data, axes, ir::size_bytes(x.dtype), start, (last - first) * around.inner,
                      call.output.at(start));
    }
    for (std::int64_t n = 0; n < count; ++n) {
      const std::int64_t index = indices[n];
      if (index >= first && index < last) {
        change((outer * around.extent + index) * around.inner, (outer * count + n) * around.inner);
      }
    }
  }
}

void run_scatter_add(const KernelCall& call, int /*stage*/, std::int64_t begin, std::int64_t end) {
  const Tensor& updates = call.inputs[2];
  const ir::DType dtype = call.output.dtype;
  const std::int64_t inner = around_axis(call.output.shape, axis_of(call)).inner;
  const ir::DType type = ir::compute_type(dtype);
  const BlockFunction add =
      isa().elementwise[static_cast<std::size_t>(Row::Add)][static_cast<std::size_t>(type)];
  const CastFunction widen = find_cast(dtype, type);
  const CastFunction narrow = find_cast(type, dtype);
  Reader reader;
  reader.open(updates, updates.shape, type);
  alignas(kCacheLine) std::array<std::byte, kBlock * 8> sum;
  change_rows(call, begin, end, [&](std::int64_t row, std::int64_t update) {
    for (std::int64_t i = 0; i < inner; i += kBlock) {
      const std::int64_t size = std::min(kBlock, inner - i);
      const void* added = reader.read(update + i, size);
      std::byte* to = call.output.at(row + i);
      if (widen == nullptr) {
        add(to, added, nullptr, to, size, false);
      } else {
        widen(to, sum.data(), size);
        add(sum.data(), added, nullptr, sum.data(), size, false);
        narrow(sum.data(), to, size);
      }
    }
  });
}

void run_index_copy(const KernelCall& call, int /*stage*/, std::int64_t begin, std::int64_t end) {
  const Tensor& updates = call.inputs[2];
  const Axes axes = axes_of(updates, updates.shape);
  const std::int64_t inner = around_axis(call.output.shape, axis_of(call)).inner;
  change_rows(call, begin, end, [&](std::int64_t row, std::int64_t update) {
    gather_elements(updates.data, axes, ir::size_bytes(updates.dtype), update, inner, call.output.at(row));
  });
}

}  // namespace

const CpuKernel kGatherKernel{nullptr, one_stage, gather_units, no_scratch, run_gather};
const CpuKernel kScatterAddKernel{nullptr, one_stage, change_units, no_scratch, run_scatter_add};
const CpuKernel kIndexCopyKernel{nullptr, one_stage, change_units, no_scratch, run_index_copy};

}  // namespace foretell::runtime::cpu::kernels
