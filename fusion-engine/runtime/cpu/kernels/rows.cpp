// SPDX-License-Identifier: Apache-2.0
// Ops over rows of any axis: softmax, log_softmax; of the last axis: layer_norm, rms_norm.
#include <algorithm>

#include "fusion-engine/runtime/cpu/kernels/kernel_list.hpp"
#include "fusion-engine/runtime/cpu/kernels/row_buffer.hpp"

namespace foretell::runtime::cpu::kernels {

namespace {

std::size_t row_axis(const KernelCall& call) {
  if (call.op == ir::OpKind::Softmax || call.op == ir::OpKind::LogSoftmax) {
    return static_cast<std::size_t>(call.attributes->integer(ir::AttrKey::Axis));
  }
  return call.output.shape.rank() - 1;
}

// The tensor at index 0 of one axis, which is left out.
Tensor without_axis(const Tensor& tensor, std::size_t axis) {
  Tensor rest{.data = tensor.data, .dtype = tensor.dtype, .shape = {}, .strides = {}};
  for (std::size_t i = 0; i < tensor.shape.rank(); ++i) {
    if (i != axis) {
      rest.shape.push_back(tensor.shape[i]);
      rest.strides.push_back(tensor.strides[i]);
    }
  }
  return rest;
}

template <class T>
struct Parameters {
  const T* weight = nullptr;
  const T* bias = nullptr;
  double epsilon = 0;
};

template <class T>
void compute_row(ir::OpKind op, const Parameters<T>& with, const T* x, T* exponentials, T* out,
                 std::int64_t n, bool stream) {
  const auto& blocks = blocks_of<T>();
  switch (op) {
    case ir::OpKind::Softmax: blocks.softmax(x, exponentials, out, n, stream); break;
    case ir::OpKind::LogSoftmax: blocks.log_softmax(x, out, n, stream); break;
    case ir::OpKind::LayerNorm:
      blocks.layer_norm(x, with.weight, with.bias, out, n, with.epsilon, stream);
      break;
    default: blocks.rms_norm(x, with.weight, out, n, with.epsilon, stream); break;
  }
}

template <class T>
void run_as(const KernelCall& call, std::int64_t begin, std::int64_t end) {
  const std::size_t axis = row_axis(call);
  const Tensor& x = call.inputs[0];
  const std::int64_t length = call.output.shape[axis];
  const std::int64_t x_stride = x.strides[axis];
  const std::int64_t out_stride = call.output.strides[axis];
  const Tensor x_rows = without_axis(x, axis);
  const Tensor out_rows = without_axis(call.output, axis);
  const Axes x_axes = axes_of(x_rows, x_rows.shape);
  const Axes out_axes = axes_of(out_rows, out_rows.shape);

  RowBuffer<T> in_buffer;
  RowBuffer<T> out_buffer;
  RowBuffer<T> weight_buffer;
  RowBuffer<T> bias_buffer;
  Parameters<T> with;
  if (call.op == ir::OpKind::LayerNorm || call.op == ir::OpKind::RmsNorm) {
    with.epsilon = call.attributes->real(ir::AttrKey::Epsilon);
    const auto read = [&](std::size_t i, RowBuffer<T>& buffer) {
      const Tensor& t = call.inputs[i];
      return call.input_count > i ? read_row(t.data, t.dtype, t.strides[0], length, buffer) : nullptr;
    };
    with.weight = read(1, weight_buffer);
    with.bias = read(2, bias_buffer);
  }
  const auto in_bytes = static_cast<std::int64_t>(ir::size_bytes(x.dtype));
  const auto out_bytes = static_cast<std::int64_t>(ir::size_bytes(call.output.dtype));
  const bool is_direct = out_bytes == static_cast<std::int64_t>(sizeof(T)) && out_stride == 1;
  const std::int64_t per_unit = rows_per_unit(length);
  const std::int64_t last = std::min(end * per_unit, out_rows.elements());
  for (std::int64_t r = begin * per_unit; r < last; ++r) {
    const T* in =
        read_row(x.data + position_of(x_axes, r).offset * in_bytes, x.dtype, x_stride, length, in_buffer);
    std::byte* to = call.output.data + position_of(out_axes, r).offset * out_bytes;
    // What is streamed goes there in the last pass over the row; what came before it stays in the cache.
    T* out = is_direct ? reinterpret_cast<T*>(to) : out_buffer.get(length);
    const bool stream = is_direct && call.stream_output;
    compute_row(call.op, with, in, stream ? out_buffer.get(length) : out, out, length, stream);
    if (!is_direct) {
      write_row(out, to, call.output.dtype, out_stride, length, call.stream_output);
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
