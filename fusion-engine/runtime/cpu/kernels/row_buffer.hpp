// SPDX-License-Identifier: Apache-2.0
// Whole rows of a tensor in the compute type, for ops that go over a row more than once.
#pragma once

#include <algorithm>
#include <utility>

#include "fusion-engine/runtime/cpu/kernels/block_pool.hpp"
#include "fusion-engine/runtime/cpu/kernels/staging.hpp"

namespace foretell::runtime::cpu::kernels {

// Aligned memory that grows; kept by its owner from row to row, and by the thread from owner to owner.
template <class T>
class RowBuffer {
 public:
  RowBuffer() = default;
  RowBuffer(RowBuffer&&) noexcept = default;
  RowBuffer& operator=(RowBuffer&&) = delete;
  ~RowBuffer() { BlockPool::local().give(std::move(block_)); }

  T* get(std::int64_t n) {
    const std::size_t bytes = static_cast<std::size_t>(n) * sizeof(T);
    if (bytes > block_.bytes) {
      BlockPool& pool = BlockPool::local();
      pool.give(std::move(block_));
      block_ = pool.take(bytes);
    }
    return reinterpret_cast<T*>(block_.data.get());
  }

 private:
  BlockPool::Block block_;
};

// n elements from `data` on, `stride` apart, as T (float or double): in memory if they lie there so, else in
// `buffer`.
template <class T>
const T* read_row(const std::byte* data, ir::DType dtype, std::int64_t stride, std::int64_t n,
                  RowBuffer<T>& buffer) {
  constexpr ir::DType type = sizeof(T) == 4 ? ir::DType::F32 : ir::DType::F64;
  const CastFunction cast = find_cast(dtype, type);
  if (cast == nullptr && (stride == 1 || n == 1)) {
    return reinterpret_cast<const T*>(data);
  }
  T* row = buffer.get(n);
  const std::size_t bytes = ir::size_bytes(dtype);
  if (cast == nullptr) {
    gather_run(data, stride, bytes, n, reinterpret_cast<std::byte*>(row));
  } else if (stride == 1) {
    cast(data, row, n);
  } else {
    alignas(kCacheLine) std::array<std::byte, kBlock * 8> raw;
    for (std::int64_t i = 0; i < n; i += kBlock) {
      const std::int64_t count = std::min(kBlock, n - i);
      gather_run(data + i * stride * static_cast<std::int64_t>(bytes), stride, bytes, count, raw.data());
      cast(raw.data(), row + i, count);
    }
  }
  return row;
}

// The other way round. Streaming stores only where the row is dense.
template <class T>
void write_row(const T* row, std::byte* data, ir::DType dtype, std::int64_t stride, std::int64_t n,
               bool stream) {
  constexpr ir::DType type = sizeof(T) == 4 ? ir::DType::F32 : ir::DType::F64;
  const CastFunction cast = find_cast(type, dtype);
  const auto bytes = static_cast<std::int64_t>(ir::size_bytes(dtype));
  alignas(kCacheLine) std::array<std::byte, kBlock * 8> narrow;
  for (std::int64_t i = 0; i < n; i += kBlock) {
    const std::int64_t count = std::min(kBlock, n - i);
    const auto* from = reinterpret_cast<const std::byte*>(row + i);
    if (cast != nullptr) {
      cast(from, narrow.data(), count);
      from = narrow.data();
    }
    std::byte* to = data + i * stride * bytes;
    if (stride == 1 && stream) {
      isa().stream_copy(to, from, count * bytes, {});
    } else {
      scatter_run(from, stride, static_cast<std::size_t>(bytes), count, to);
    }
  }
}

// The tensor at index 0 of one axis, which is left out.
inline Tensor without_axis(const Tensor& tensor, std::size_t axis) {
  Tensor rest{.data = tensor.data, .dtype = tensor.dtype, .shape = {}, .strides = {}};
  for (std::size_t i = 0; i < tensor.shape.rank(); ++i) {
    if (i != axis) {
      rest.shape.push_back(tensor.shape[i]);
      rest.strides.push_back(tensor.strides[i]);
    }
  }
  return rest;
}

// The rows of a tensor, one after the other.
template <class T>
class Rows {
 public:
  Rows(const Tensor& tensor, std::size_t axis)
      : tensor_(tensor),
        rest_(without_axis(tensor, axis)),
        axes_(axes_of(rest_, rest_.shape)),
        length_(tensor.shape[axis]),
        stride_(tensor.strides[axis]) {}

  std::int64_t count() const { return rest_.elements(); }
  std::int64_t stride() const { return stride_; }
  std::byte* at(std::int64_t r) const { return tensor_.at(position_of(axes_, r).offset); }
  const T* read(std::int64_t r) { return read_row(at(r), tensor_.dtype, stride_, length_, buffer_); }

 private:
  Tensor tensor_;
  Tensor rest_;
  Axes axes_;
  std::int64_t length_;
  std::int64_t stride_;
  RowBuffer<T> buffer_;
};

}  // namespace foretell::runtime::cpu::kernels
