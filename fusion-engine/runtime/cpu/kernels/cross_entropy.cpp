// SPDX-License-Identifier: Apache-2.0
// Mean over rows of log(sum(exp(logits))) - logits[target]: the rows' losses into scratch memory, then their
// mean. The gradient of each row by itself.
#include <algorithm>

#include "fusion-engine/runtime/cpu/kernels/index.hpp"
#include "fusion-engine/runtime/cpu/kernels/kernel_list.hpp"
#include "fusion-engine/runtime/cpu/kernels/row_buffer.hpp"

namespace foretell::runtime::cpu::kernels {

namespace {

std::int64_t rows_of(const KernelCall& call) { return call.inputs[0].shape[0]; }
std::int64_t classes_of(const KernelCall& call) { return call.inputs[0].shape[1]; }

template <class T>
void run_losses(const KernelCall& call, std::int64_t first, std::int64_t last) {
  const std::int64_t classes = classes_of(call);
  Rows<T> logits(call.inputs[0], 1);
  const Indices targets(call.inputs[1], classes, nullptr);
  auto* losses = reinterpret_cast<double*>(call.scratch);
  for (std::int64_t r = first; r < last; ++r) {
    const std::int64_t target = targets[r];
    const T* row = logits.read(r);
    const T largest = blocks_of<T>().largest(row, classes);
    const T log_sum = blocks_of<T>().log_sum_exp(row, largest, classes);
    losses[r] = static_cast<double>(log_sum - (target < 0 ? T{} : row[target] - largest));
  }
}

// The softmax, less 1 at the target, times the cotangent's share of the row.
template <class T>
void run_gradients(const KernelCall& call, std::int64_t first, std::int64_t last) {
  const std::int64_t classes = classes_of(call);
  Rows<T> logits(call.inputs[0], 1);
  const Indices targets(call.inputs[1], classes, nullptr);
  RowBuffer<T> buffer;
  const Tensor& dy = call.inputs[2];
  const T share = *read_row(dy.data, dy.dtype, 1, 1, buffer) / static_cast<T>(rows_of(call));
  for (std::int64_t r = first; r < last; ++r) {
    const std::int64_t target = targets[r];
    T* out = buffer.get(classes);
    blocks_of<T>().softmax(logits.read(r), share, out, out, classes, false);
    if (target >= 0) {
      out[target] -= share;
    }
    write_row(out, call.output.at(r * classes), call.output.dtype, 1, classes, call.stream_output);
  }
  if (call.stream_output) {
    isa().stream_fence();
  }
}

// Calls as(float or double, first row, end) for the rows of units.
template <class As>
void over_rows(const KernelCall& call, std::int64_t begin, std::int64_t end, As as) {
  const std::int64_t per_unit = rows_per_unit(classes_of(call));
  const std::int64_t last = std::min(end * per_unit, rows_of(call));
  if (call.inputs[0].dtype == ir::DType::F64) {
    as(double{}, begin * per_unit, last);
  } else {
    as(float{}, begin * per_unit, last);
  }
}

std::int64_t row_units(const KernelCall& call, int /*stage*/) {
  return units_of(rows_of(call), rows_per_unit(classes_of(call)));
}

void run_gradient(const KernelCall& call, int /*stage*/, std::int64_t begin, std::int64_t end) {
  over_rows(call, begin, end, [&]<class T>(T /*type*/, std::int64_t first, std::int64_t last) {
    run_gradients<T>(call, first, last);
  });
}

int stages(const KernelCall& /*call*/) { return 2; }
std::int64_t units(const KernelCall& call, int stage) { return stage == 0 ? row_units(call, stage) : 1; }
std::int64_t scratch_bytes(const KernelCall& call) {
  return rows_of(call) * static_cast<std::int64_t>(sizeof(double));
}

void run(const KernelCall& call, int stage, std::int64_t begin, std::int64_t end) {
  if (stage == 0) {
    over_rows(call, begin, end, [&]<class T>(T /*type*/, std::int64_t first, std::int64_t last) {
      run_losses<T>(call, first, last);
    });
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
const CpuKernel kCrossEntropyGradKernel{nullptr, one_stage, row_units, no_scratch, run_gradient};

}  // namespace foretell::runtime::cpu::kernels
