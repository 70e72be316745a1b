// SPDX-License-Identifier: Apache-2.0
// Whole rows of a tensor in the compute type, for ops that go over a row more than once.
#pragma once

#include <algorithm>
#include <memory>
#include <new>

#include "fusion-engine/runtime/cpu/kernels/staging.hpp"

namespace foretell::runtime::cpu::kernels {

// Aligned memory that grows; kept by its owner from row to row.
template <class T>
class RowBuffer {
 public:
  T* get(std::int64_t n) {
    if (n > size_) {
      data_.reset(static_cast<T*>(::operator new[](static_cast<std::size_t>(n) * sizeof(T), kAlign)));
      size_ = n;
    }
    return data_.get();
  }

 private:
  static constexpr std::align_val_t kAlign{kCacheLine};
  struct Delete {
    void operator()(T* p) const { ::operator delete[](p, kAlign); }
  };
  std::unique_ptr<T[], Delete> data_;
  std::int64_t size_ = 0;
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

}  // namespace foretell::runtime::cpu::kernels
