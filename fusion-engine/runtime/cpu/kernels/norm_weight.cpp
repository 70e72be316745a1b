// SPDX-License-Identifier: Apache-2.0
// layer_norm_weight_grad, rms_norm_weight_grad: the sum over all rows of the cotangent times the normalized
// row. Chunks of rows are summed in the compute type, chunks in f64.
#include <algorithm>

#include "fusion-engine/runtime/cpu/kernels/kernel_list.hpp"
#include "fusion-engine/runtime/cpu/kernels/reduction_layout.hpp"
#include "fusion-engine/runtime/cpu/kernels/row_buffer.hpp"

namespace foretell::runtime::cpu::kernels {

namespace {

std::int64_t length_of(const KernelCall& call) { return call.output.shape[0]; }
std::int64_t rows_of(const KernelCall& call) { return call.inputs[0].elements() / length_of(call); }
std::int64_t rows_per_chunk(const KernelCall& call) {
  return std::max(kLeastChunkRows, kChunkElements / length_of(call));
}
std::int64_t chunks_of(const KernelCall& call) { return units_of(rows_of(call), rows_per_chunk(call)); }
std::int64_t element_bytes(const KernelCall& call) {
  return static_cast<std::int64_t>(ir::size_bytes(ir::compute_type(call.output.dtype)));
}

template <class T>
void sum_chunk(const KernelCall& call, std::int64_t chunk, T* into) {
  const auto add = call.op == ir::OpKind::LayerNormWeightGrad ? blocks_of<T>().add_layer_norm_products
                                                              : blocks_of<T>().add_rms_norm_products;
  const double epsilon = call.attributes->real(ir::AttrKey::Epsilon);
  const std::int64_t length = length_of(call);
  Rows<T> x(call.inputs[0], call.inputs[0].shape.rank() - 1);
  Rows<T> dy(call.inputs[1], call.inputs[1].shape.rank() - 1);
  std::fill_n(into, length, T{});
  const std::int64_t first = chunk * rows_per_chunk(call);
  const std::int64_t last = std::min(first + rows_per_chunk(call), rows_of(call));
  for (std::int64_t r = first; r < last; ++r) {
    add(x.read(r), dy.read(r), into, length, epsilon);
  }
}

template <class T>
void run_as(const KernelCall& call, int stage, std::int64_t begin, std::int64_t end) {
  auto* partials = reinterpret_cast<T*>(call.scratch);
  const std::int64_t length = length_of(call);
  if (stage == 0) {
    for (std::int64_t chunk = begin; chunk < end; ++chunk) {
      sum_chunk<T>(call, chunk, partials + chunk * length);
    }
    return;
  }
  Writer writer(call.output.data, call.output.dtype, ir::DType::F64, false);
  for (std::int64_t tile = begin; tile < end; ++tile) {
    const std::int64_t first = tile * kBlock;
    const std::int64_t n = std::min(kBlock, length - first);
    auto* totals = static_cast<double*>(writer.target(first));
    std::fill_n(totals, n, 0.0);
    for (std::int64_t chunk = 0; chunk < chunks_of(call); ++chunk) {
      for (std::int64_t i = 0; i < n; ++i) {
        totals[i] += static_cast<double>(partials[chunk * length + first + i]);
      }
    }
    writer.commit(first, n);
  }
}

void run(const KernelCall& call, int stage, std::int64_t begin, std::int64_t end) {
  if (call.output.dtype == ir::DType::F64) {
    run_as<double>(call, stage, begin, end);
  } else {
    run_as<float>(call, stage, begin, end);
  }
}

int stages(const KernelCall& /*call*/) { return 2; }
std::int64_t units(const KernelCall& call, int stage) {
  return stage == 0 ? chunks_of(call) : units_of(length_of(call), kBlock);
}
std::int64_t scratch_bytes(const KernelCall& call) {
  return chunks_of(call) * length_of(call) * element_bytes(call);
}

}  // namespace

const CpuKernel kNormWeightKernel{nullptr, stages, units, scratch_bytes, run};

}  // namespace foretell::runtime::cpu::kernels
