// SPDX-License-Identifier: Apache-2.0
// softmax(scale * q k^T + mask) v, as one op: a unit takes some rows of queries, whose scores stay in the
// cache. q [..,Lq,D], k [..,Lk,D], v [..,Lk,Dv]; batches broadcast; the mask is added, broadcast to the
// scores.
#include <algorithm>
#include <cmath>
#include <limits>

#include "fusion-engine/runtime/cpu/kernels/kernel_list.hpp"
#include "fusion-engine/runtime/cpu/kernels/row_buffer.hpp"

namespace foretell::runtime::cpu::kernels {

namespace {

// Queries per unit: keys and values that need converting are converted once for this many.
constexpr std::int64_t kQueries = 32;

// A tensor's last two axes at one index of the batch.
struct Matrix {
  const std::byte* data = nullptr;
  ir::DType dtype = ir::DType::F32;
  std::int64_t row_stride = 0;
  std::int64_t column_stride = 0;

  const std::byte* row(std::int64_t i) const {
    return data + i * row_stride * static_cast<std::int64_t>(ir::size_bytes(dtype));
  }
};

ir::Shape batch_of(const Tensor& tensor) {
  return ir::Shape(std::span(tensor.shape.begin(), tensor.shape.rank() - 2));
}

Matrix matrix_at(const Tensor& tensor, const ir::Shape& batch, std::int64_t index) {
  const std::size_t rank = tensor.shape.rank();
  Matrix matrix{.data = tensor.data, .dtype = tensor.dtype, .row_stride = 0, .column_stride = 0};
  matrix.row_stride = tensor.shape[rank - 2] == 1 ? 0 : tensor.strides[rank - 2];
  matrix.column_stride = tensor.shape[rank - 1] == 1 ? 0 : tensor.strides[rank - 1];
  const Tensor outer{.data = tensor.data,
                     .dtype = tensor.dtype,
                     .shape = batch_of(tensor),
                     .strides = ir::Dims(std::span(tensor.strides.begin(), rank - 2))};
  matrix.data += position_of(axes_of(outer, batch), index).offset *
                 static_cast<std::int64_t>(ir::size_bytes(tensor.dtype));
  return matrix;
}

// At least rank 2, so that batch and matrix can be told apart.
Tensor with_two_axes(Tensor tensor) {
  while (tensor.shape.rank() < 2) {
    ir::Shape shape{1};
    ir::Dims strides{0};
    for (std::size_t i = 0; i < tensor.shape.rank(); ++i) {
      shape.push_back(tensor.shape[i]);
      strides.push_back(tensor.strides[i]);
    }
    tensor.shape = shape;
    tensor.strides = strides;
  }
  return tensor;
}

// Rows as T next to each other, `stride` apart: in place if they are so already.
template <class T>
struct Rows {
  const T* data = nullptr;
  std::int64_t stride = 0;
};
template <class T>
Rows<T> read_rows(const Matrix& m, std::int64_t rows, std::int64_t width, RowBuffer<T>& buffer,
                  RowBuffer<T>& row) {
  if (ir::size_bytes(m.dtype) == sizeof(T) && (m.column_stride == 1 || width == 1)) {
    return {reinterpret_cast<const T*>(m.data), m.row_stride};
  }
  T* to = buffer.get(rows * width);
  for (std::int64_t i = 0; i < rows; ++i) {
    std::copy_n(read_row(m.row(i), m.dtype, m.column_stride, width, row), width, to + i * width);
  }
  return {to, width};
}

template <class T>
void run_as(const KernelCall& call, std::int64_t begin, std::int64_t end) {
  const Tensor& q = call.inputs[0];
  const Tensor& k = call.inputs[1];
  const Tensor& v = call.inputs[2];
  const std::size_t rank = q.shape.rank();
  const std::int64_t queries = q.shape[rank - 2];
  const std::int64_t head = q.shape[rank - 1];
  const std::int64_t keys = k.shape[k.shape.rank() - 2];
  const std::int64_t width = v.shape[v.shape.rank() - 1];
  const ir::Shape batch = batch_of(call.output);
  const bool is_causal = call.attributes->flag(ir::AttrKey::Causal);
  const double given_scale = call.attributes->real(ir::AttrKey::Scale);
  const T scale = static_cast<T>(given_scale == 0 ? 1 / std::sqrt(static_cast<double>(head)) : given_scale);
  const bool has_mask = call.input_count == 4;
  const Tensor mask = has_mask ? with_two_axes(call.inputs[3]) : Tensor{};
  const std::int64_t blocks = units_of(queries, kQueries);
  const auto& functions = blocks_of<T>();

  RowBuffer<T> key_buffer;
  RowBuffer<T> value_buffer;
  RowBuffer<T> row_buffer;
  RowBuffer<T> mask_buffer;
  RowBuffer<T> score_buffer;
  RowBuffer<T> out_buffer;
  T* scores = score_buffer.get(keys);
  T* out = out_buffer.get(width);
  const auto out_bytes = static_cast<std::int64_t>(ir::size_bytes(call.output.dtype));
  std::int64_t batch_read = -1;
  Rows<T> key_rows;
  Rows<T> value_rows;
  for (std::int64_t unit = begin; unit < end; ++unit) {
    const std::int64_t b = unit / blocks;
    if (b != batch_read) {
      key_rows = read_rows(matrix_at(k, batch, b), keys, head, key_buffer, row_buffer);
      value_rows = read_rows(matrix_at(v, batch, b), keys, width, value_buffer, row_buffer);
      batch_read = b;
    }
    const Matrix query = matrix_at(q, batch, b);
    const Matrix added = has_mask ? matrix_at(mask, batch, b) : Matrix{};
    const std::int64_t first = unit % blocks * kQueries;
    for (std::int64_t i = first; i < std::min(queries, first + kQueries); ++i) {
      const T* row = read_row(query.row(i), query.dtype, query.column_stride, head, row_buffer);
      const std::int64_t seen = is_causal ? std::min(keys, i + 1 + keys - queries) : keys;
      functions.scores(row, key_rows.data, key_rows.stride, head, seen, scale, scores);
      if (has_mask) {
        const T* extra = read_row(added.row(i), added.dtype, added.column_stride, seen, mask_buffer);
        functions.add_to(scores, extra, seen);
      }
      functions.softmax(scores, T{1}, scores, scores, seen, false);
      functions.weighted_sum(scores, value_rows.data, value_rows.stride, width, seen, out);
      write_row(out, call.output.data + (b * queries + i) * width * out_bytes, call.output.dtype, 1, width,
                call.stream_output);
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
  const std::int64_t queries = call.output.shape[call.output.shape.rank() - 2];
  return ir::elements(batch_of(call.output)) * units_of(queries, kQueries);
}

}  // namespace

const CpuKernel kAttentionKernel{nullptr, one_stage, units, no_scratch, run};

}  // namespace foretell::runtime::cpu::kernels
