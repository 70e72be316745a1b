// SPDX-License-Identifier: Apache-2.0
// Mean over rows of log(sum(exp(logits))) - logits[target]: the rows' losses into scratch memory, then their
// mean.
#include <algorithm>

#include "fusion-engine/runtime/cpu/kernels/index.hpp"
#include "fusion-engine/runtime/cpu/kernels/kernel_list.hpp"
#include "fusion-engine/runtime/cpu/kernels/row_buffer.hpp"

namespace foretell::runtime::cpu::kernels {

namespace {

std::int64_t rows_of(const KernelCall& call) { return call.inputs[0].shape[0]; }

template <class T>
void run_rows(const KernelCall& call, std::int64_t begin, std::int64_t end) {
  const Tensor& logits = call.inputs[0];
  const std::int64_t classes = logits.shape[1];
  const Indices targets(call.inputs[1], classes, nullptr);
  const auto bytes = static_cast<std::int64_t>(ir::size_bytes(logits.dtype));
  auto* losses = reinterpret_cast<double*>(call.scratch);
  RowBuffer<T> buffer;
  const std::int64_t per_unit = rows_per_unit(classes);
  const std::int64_t last = std::min(end * per_unit, rows_of(call));
  for (std::int64_t r = begin * per_unit; r < last; ++r) {
    const std::int64_t target = targets[r];
    const T* row = read_row(logits.data + r * logits.strides[0] * bytes, logits.dtype, logits.strides[1],
                            classes, buffer);
    const T largest = blocks_of<T>().largest(row, classes);
    const T log_sum = blocks_of<T>().log_sum_exp(row, largest, classes);
    losses[r] = static_cast<double>(log_sum - (target < 0 ? T{} : row[target] - largest));
  }
}

int stages(const KernelCall& /*call*/) { return 2; }
std::int64_t units(const KernelCall& call, int stage) {
  return stage == 0 ? units_of(rows_of(call), rows_per_unit(call.inputs[0].shape[1])) : 1;
}
std::int64_t scratch_bytes(const KernelCall& call) {
  return rows_of(call) * static_cast<std::int64_t>(sizeof(double));
}

void run(const KernelCall& call, int stage, std::int64_t begin, std::int64_t end) {
  if (stage == 0) {
    if (call.inputs[0].dtype == ir::DType::F64) {
      run_rows<double>(call, begin, end);
    } else {
      run_rows<float>(call, begin, end);
    }
    return;
  }
  const std::int64_t rows = rows_of(call);
  const auto* losses = reinterpret_cast<const double*>(call.scratch);
  double total = 0;
  for (std::int64_t r = 0; r < rows; r += kBlock) {
    total += isa().f64.sum(losses + r, std::min(kBlock, rows - r));
  }
  const double mean = total / static_cast<double>(rows);
  Writer writer(call.output.data, call.output.dtype, ir::DType::F64, false);
  *static_cast<double*>(writer.target(0)) = mean;
  writer.commit(0, 1);
}

}  // namespace

const CpuKernel kCrossEntropyKernel{nullptr, stages, units, scratch_bytes, run};

}  // namespace foretell::runtime::cpu::kernels
