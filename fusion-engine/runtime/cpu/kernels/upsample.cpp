// SPDX-License-Identifier: Apache-2.0
// upsample_nearest of images [N,C,H,W]: a row of the image becomes `factor` rows of the result, all alike.
#include <algorithm>
#include <cstring>

#include "fusion-engine/runtime/cpu/kernels/kernel_list.hpp"
#include "fusion-engine/runtime/cpu/kernels/row_buffer.hpp"

namespace foretell::runtime::cpu::kernels {

namespace {

std::int64_t rows_of(const KernelCall& call) {
  const ir::Shape& x = call.inputs[0].shape;
  return x[0] * x[1] * x[2];
}
std::int64_t units(const KernelCall& call, int /*stage*/) {
  return units_of(rows_of(call), rows_per_unit(call.output.shape[3]));
}

void run(const KernelCall& call, int /*stage*/, std::int64_t begin, std::int64_t end) {
  const Tensor& x = call.inputs[0];
  const Axes axes = axes_of(x, x.shape);
  const std::int64_t factor = call.attributes->integer(ir::AttrKey::Factor);
  const std::int64_t width = x.shape[3];
  const std::size_t bytes = ir::size_bytes(x.dtype);
  const std::int64_t row_bytes = width * factor * static_cast<std::int64_t>(bytes);
  RowBuffer<std::byte> in;
  RowBuffer<std::byte> out;
  const std::int64_t per_unit = rows_per_unit(call.output.shape[3]);
  const std::int64_t last = std::min(end * per_unit, rows_of(call));
  for (std::int64_t row = begin * per_unit; row < last; ++row) {
    std::byte* const narrow = in.get(row_bytes / factor);
    std::byte* const wide = out.get(row_bytes);
    gather_elements(x.data, axes, bytes, row * width, width, narrow);
    for (std::int64_t i = 0; i < factor; ++i) {
      scatter_run(narrow, factor, bytes, width, wide + i * static_cast<std::int64_t>(bytes));
    }
    for (std::int64_t i = 0; i < factor; ++i) {
      std::byte* const to = call.output.data + (row * factor + i) * row_bytes;
      if (call.stream_output) {
        isa().stream_copy(to, wide, row_bytes, {});
      } else {
        std::memcpy(to, wide, static_cast<std::size_t>(row_bytes));
      }
    }
  }
  if (call.stream_output) {
    isa().stream_fence();
  }
}

}  // namespace

const CpuKernel kUpsampleKernel{nullptr, one_stage, units, no_scratch, run};

}  // namespace foretell::runtime::cpu::kernels
