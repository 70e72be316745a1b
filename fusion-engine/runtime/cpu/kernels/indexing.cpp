// SPDX-License-Identifier: Apache-2.0
// gather and scatter_add along an axis: x [outer, extent, inner], index of any shape in the axis's place.
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

// Each unit owns some rows of the result and adds, in the order of the indices, the updates that go there.
constexpr std::int64_t kParts = 16;

std::int64_t scatter_units(const KernelCall& call, int /*stage*/) {
  const AroundAxis x = around_axis(call.inputs[0].shape, axis_of(call));
  return x.outer * std::min(kParts, x.extent);
}

void run_scatter_add(const KernelCall& call, int /*stage*/, std::int64_t begin, std::int64_t end) {
  const Tensor& x = call.inputs[0];
  const Tensor& updates = call.inputs[2];
  const AroundAxis around = around_axis(x.shape, axis_of(call));
  const Axes axes = axes_of(x, x.shape);
  const Indices indices(call.inputs[1], around.extent, call.error);
  const std::int64_t count = indices.count();
  const std::size_t bytes = ir::size_bytes(x.dtype);
  const std::int64_t parts = std::min(kParts, around.extent);
  const ir::DType type = ir::compute_type(x.dtype);
  const BlockFunction add =
      isa().elementwise[static_cast<std::size_t>(Row::Add)][static_cast<std::size_t>(type)];
  const CastFunction widen = find_cast(x.dtype, type);
  const CastFunction narrow = find_cast(type, x.dtype);
  Reader reader;
  reader.open(updates, updates.shape, type);
  alignas(kCacheLine) std::array<std::byte, kBlock * 8> sum;
  for (std::int64_t unit = begin; unit < end; ++unit) {
    const std::int64_t outer = unit / parts;
    const std::int64_t first = around.extent * (unit % parts) / parts;
    const std::int64_t last = around.extent * (unit % parts + 1) / parts;
    const std::int64_t start = (outer * around.extent + first) * around.inner;
    gather_elements(x.data, axes, bytes, start, (last - first) * around.inner,
                    call.output.data + start * static_cast<std::int64_t>(bytes));
    for (std::int64_t n = 0; n < count; ++n) {
      const std::int64_t index = indices[n];
      if (index < first || index >= last) {
        continue;
      }
      const std::int64_t row = (outer * around.extent + index) * around.inner;
      for (std::int64_t i = 0; i < around.inner; i += kBlock) {
        const std::int64_t size = std::min(kBlock, around.inner - i);
        const void* added = reader.read((outer * count + n) * around.inner + i, size);
        std::byte* to = call.output.data + (row + i) * static_cast<std::int64_t>(bytes);
        if (widen == nullptr) {
          add(to, added, nullptr, to, size, false);
        } else {
          widen(to, sum.data(), size);
          add(sum.data(), added, nullptr, sum.data(), size, false);
          narrow(sum.data(), to, size);
        }
      }
    }
  }
}

}  // namespace

const CpuKernel kGatherKernel{nullptr, one_stage, gather_units, no_scratch, run_gather};
const CpuKernel kScatterAddKernel{nullptr, one_stage, scatter_units, no_scratch, run_scatter_add};

}  // namespace foretell::runtime::cpu::kernels
