// SPDX-License-Identifier: Apache-2.0
// A row of the result along its last axis is padding altogether, or padding, a row of the operand, padding.
#include <algorithm>

#include "fusion-engine/runtime/cpu/kernels/kernel_list.hpp"
#include "fusion-engine/runtime/cpu/kernels/staging.hpp"

namespace foretell::runtime::cpu::kernels {

namespace {

std::int64_t row_length(const KernelCall& call) {
  const std::size_t rank = call.output.shape.rank();
  return rank == 0 ? 1 : call.output.shape[rank - 1];
}
std::int64_t rows_of(const KernelCall& call) {
  return call.output.elements() / std::max<std::int64_t>(1, row_length(call));
}
std::int64_t units(const KernelCall& call, int /*stage*/) {
  return units_of(rows_of(call), rows_per_unit(row_length(call)));
}

// Offset of the operand's row that output row r holds (elements); -1 if it is all padding.
std::int64_t source_row(const KernelCall& call, std::int64_t r) {
  const Tensor& x = call.inputs[0];
  const ir::Ints& before = call.attributes->ints(ir::AttrKey::Before);
  std::int64_t offset = 0;
  for (std::size_t i = call.output.shape.rank() - 1; i-- > 0;) {
    const std::int64_t index = r % call.output.shape[i] - before[i];
    r /= call.output.shape[i];
    if (index < 0 || index >= x.shape[i]) {
      return -1;
    }
    offset += index * x.strides[i];
  }
  return offset;
}

void run(const KernelCall& call, int /*stage*/, std::int64_t begin, std::int64_t end) {
  const Tensor& x = call.inputs[0];
  const std::size_t rank = x.shape.rank();
  const auto bytes = static_cast<std::int64_t>(ir::size_bytes(x.dtype));
  if (rank == 0) {
    gather_run(x.data, 1, static_cast<std::size_t>(bytes), 1, call.output.data);
    return;
  }
  std::array<std::byte, 8> fill{};
  const double value = call.attributes->real(ir::AttrKey::Value);
  Writer writer(fill.data(), x.dtype, ir::DType::F64, false);
  *static_cast<double*>(writer.target(0)) = value;
  writer.commit(0, 1);

  const std::int64_t length = row_length(call);
  const std::int64_t before = call.attributes->ints(ir::AttrKey::Before)[rank - 1];
  const std::int64_t inside = x.shape[rank - 1];
  const auto put = [&](const std::byte* from, std::int64_t stride, std::int64_t n, std::byte* to) {
    gather_run(from, stride, static_cast<std::size_t>(bytes), n, to);
  };
  const std::int64_t per_unit = rows_per_unit(length);
  const std::int64_t last = std::min(end * per_unit, rows_of(call));
  for (std::int64_t r = begin * per_unit; r < last; ++r) {
    std::byte* to = call.output.data + r * length * bytes;
    const std::int64_t source = source_row(call, r);
    if (source < 0) {
      put(fill.data(), 0, length, to);
      continue;
    }
    put(fill.data(), 0, before, to);
    put(x.data + source * bytes, x.strides[rank - 1], inside, to + before * bytes);
    put(fill.data(), 0, length - before - inside, to + (before + inside) * bytes);
  }
}

}  // namespace

const CpuKernel kPadKernel{nullptr, one_stage, units, no_scratch, run};

}  // namespace foretell::runtime::cpu::kernels
