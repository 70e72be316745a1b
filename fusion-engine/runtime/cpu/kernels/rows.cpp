// SPDX-License-Identifier: Apache-2.0
// Ops over rows of any axis: softmax, log_softmax; of the last axis: layer_norm, rms_norm; and their
// gradients.
#include <algorithm>

#include "fusion-engine/runtime/cpu/kernels/kernel_list.hpp"
#include "fusion-engine/runtime/cpu/kernels/row_buffer.hpp"

namespace foretell::runtime::cpu::kernels {

namespace {

bool is_gradient(ir::OpKind op) {
  switch (op) {
    case ir::OpKind::SoftmaxGrad:
    case ir::OpKind::LogSoftmaxGrad:
    case ir::OpKind::LayerNormGrad:
    case ir::OpKind::RmsNormGrad: return true;
    default: return false;
  }
}

bool is_norm(ir::OpKind op) { return ir::info(op).attributes()[0] == ir::AttrKey::Epsilon; }

std::size_t row_axis(const KernelCall& call) {
  return is_norm(call.op) ? call.output.shape.rank() - 1
                          : static_cast<std::size_t>(call.attributes->integer(ir::AttrKey::Axis));
}

// What is the same for all rows, and a row.
template <class T>
struct Row {
  const T* weight = nullptr;
  const T* bias = nullptr;
  double epsilon = 0;
  const T* x = nullptr;
  const T* dy = nullptr;  // of gradients
  T* between = nullptr;   // of softmax: may be out
  T* out = nullptr;
  std::int64_t n = 0;
  bool stream = false;
};

template <class T>
void compute_row(ir::OpKind op, const Row<T>& row) {
  const auto& blocks = blocks_of<T>();
  switch (op) {
    case ir::OpKind::Softmax: blocks.softmax(row.x, T{1}, row.between, row.out, row.n, row.stream); break;
    case ir::OpKind::LogSoftmax: blocks.log_softmax(row.x, row.out, row.n, row.stream); break;
    case ir::OpKind::LayerNorm:
      blocks.layer_norm(row.x, row.weight, row.bias, row.out, row.n, row.epsilon, row.stream);
      break;
    case ir::OpKind::SoftmaxGrad: blocks.softmax_grad(row.x, row.dy, row.out, row.n, row.stream); break;
    case ir::OpKind::LogSoftmaxGrad:
      blocks.log_softmax_grad(row.x, row.dy, row.out, row.n, row.stream);
      break;
    case ir::OpKind::LayerNormGrad:
      blocks.layer_norm_grad(row.x, row.dy, row.weight, row.out, row.n, row.epsilon, row.stream);
      break;
    case ir::OpKind::RmsNormGrad:
      blocks.rms_norm_grad(row.x, row.dy, row.weight, row.out, row.n, row.epsilon, row.stream);
      break;
    default: blocks.rms_norm(row.x, row.weight, row.out, row.n, row.epsilon, row.stream); break;
  }
}

template <class T>
void run_as(const KernelCall& call, std::int64_t begin, std::int64_t end) {
  const std::size_t axis = row_axis(call);
  const std::size_t row_inputs = is_gradient(call.op) ? 2 : 1;
  const std::int64_t length = call.output.shape[axis];
  Rows<T> x(call.inputs[0], axis);
  Rows<T> dy(call.inputs[row_inputs - 1], axis);
  const Rows<T> out(call.output, axis);

  RowBuffer<T> out_buffer;
  RowBuffer<T> weight_buffer;
  RowBuffer<T> bias_buffer;
  Row<T> row{.n = length};
  if (is_norm(call.op)) {
    row.epsilon = call.attributes->real(ir::AttrKey::Epsilon);
    const auto read = [&](std::size_t i, RowBuffer<T>& buffer) {
      const Tensor& t = call.inputs[i];
      return call.input_count > i ? read_row(t.data, t.dtype, t.strides[0], length, buffer) : nullptr;
    };
    row.weight = read(row_inputs, weight_buffer);
    row.bias = is_gradient(call.op) ? nullptr : read(row_inputs + 1, bias_buffer);
  }
  const bool is_direct = ir::size_bytes(call.output.dtype) == sizeof(T) && out.stride() == 1;
  const std::int64_t per_unit = rows_per_unit(length);
  const std::int64_t last = std::min(end * per_unit, out.count());
  for (std::int64_t r = begin * per_unit; r < last; ++r) {
    row.x = x.read(r);
    row.dy = is_gradient(call.op) ? dy.read(r) : nullptr;
    std::byte* to = out.at(r);
    // What is streamed goes there in the last pass over the row; what came before it stays in the cache.
    row.out = is_direct ? reinterpret_cast<T*>(to) : out_buffer.get(length);
    row.stream = is_direct && call.stream_output;
    row.between = row.stream ? out_buffer.get(length) : row.out;
    compute_row(call.op, row);
    if (!is_direct) {
      write_row(row.out, to, call.output.dtype, out.stride(), length, call.stream_output);
    }
  }
  if (call.stream_output) {
    isa().stream_fence();
  }
}

void run(const KernelCall& call, int /*stage*/, std::int64_t begin, std::int64_t end) {
  if (call.output.dtype == ir::DType::F64) {
    run_as<double>(call, begin, end);
  } else {
    run_as<float>(call, begin, end);
  }
}

std::int64_t units(const KernelCall& call, int /*stage*/) {
  const std::int64_t length = call.output.shape[row_axis(call)];
  return units_of(call.output.elements() / std::max<std::int64_t>(1, length), rows_per_unit(length));
}

}  // namespace

const CpuKernel kRowsKernel{nullptr, one_stage, units, no_scratch, run};

}  // namespace foretell::runtime::cpu::kernels
