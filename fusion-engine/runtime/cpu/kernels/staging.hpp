// SPDX-License-Identifier: Apache-2.0
// Between tensors and block functions: any layout and dtype is read into, and written from, blocks in the
// first-level cache.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "fusion-engine/runtime/cpu/kernels/isa.hpp"
#include "fusion-engine/runtime/cpu/tensor.hpp"

namespace foretell::runtime::cpu::kernels {

// Elements per block: at most 8 KiB, so that four blocks fit a 32 KiB first-level cache.
inline constexpr std::int64_t kBlock = 1024;
// Elements per unit of work that a lane takes: little bookkeeping per element, enough units for a team.
inline constexpr std::int64_t kUnit = 16 * kBlock;
inline constexpr std::size_t kCacheLine = 64;

inline std::int64_t units_of(std::int64_t elements, std::int64_t unit) {
  return (elements + unit - 1) / unit;
}

// Rows of `length` elements per unit of work.
inline std::int64_t rows_per_unit(std::int64_t length) {
  return std::max<std::int64_t>(1, kUnit / std::max<std::int64_t>(1, length));
}

// The block functions of a compute type: float, double or int64.
template <class T>
const auto& blocks_of() {
  if constexpr (std::is_same_v<T, float>) {
    return isa().f32;
  } else if constexpr (std::is_same_v<T, double>) {
    return isa().f64;
  } else {
    static_assert(std::is_same_v<T, std::int64_t>);
    return isa().i64;
  }
}

// Axes of one tensor as read in the row-major order of a space: extents of 1 left out, adjacent axes merged.
struct Axes {
  int rank = 0;
  std::array<std::int64_t, ir::kMaxRank> extent{};
  std::array<std::int64_t, ir::kMaxRank> stride{};  // elements
};
std::int64_t elements(const Axes& axes);
// `tensor` broadcast to `space` (right-aligned; extents of 1 repeat).
Axes axes_of(const Tensor& tensor, const ir::Shape& space);

// A place in the walk along axes: of the index of every axis, and its offset in elements.
struct Position {
  std::array<std::int64_t, ir::kMaxRank> index{};
  std::int64_t offset = 0;
};
Position position_of(const Axes& axes, std::int64_t element);
// By `count` along the innermost axis, of whose run no less is left. Needs a rank of at least 1.
void advance(const Axes& axes, Position& position, std::int64_t count);

// n elements from `first` on, in the order of the axes; `to` is dense. Sizes in bytes: 1, 2, 4, 8.
void gather_elements(const std::byte* data, const Axes& axes, std::size_t element_bytes, std::int64_t first,
                     std::int64_t n, std::byte* to);
// to[i] = from[i * stride], and to[i * stride] = from[i].
void gather_run(const std::byte* from, std::int64_t stride, std::size_t element_bytes, std::int64_t n,
                std::byte* to);
void scatter_run(const std::byte* from, std::int64_t stride, std::size_t element_bytes, std::int64_t n,
                 std::byte* to);

// Reads a tensor, broadcast to a space, as elements of type `as`.
class Reader {
 public:
  Reader() = default;
  // A constant is laid out at once, and read() returns the same memory always.
  void open(const Tensor& tensor, const ir::Shape& space, ir::DType as);
  // The same of elements along `axes`.
  void open(const std::byte* data, ir::DType dtype, const Axes& axes, ir::DType as);
  // Elements [first, first + n), n <= kBlock unless is_direct(). Valid until the next read.
  const void* read(std::int64_t first, std::int64_t n);
  bool is_direct() const { return kind_ == Kind::Direct; }
  // What read(first, n) will read, where that is one stretch: `bytes` 0 if not.
  struct Stretch {
    const std::byte* data;
    std::int64_t bytes;
  };
  Stretch stretch(std::int64_t first, std::int64_t n) const;
  // The same layout at another address.
  void rebase(const std::byte* data);

 private:
  void fill_constant();
  enum class Kind : std::uint8_t { Direct, Converted, Constant, Gathered };
  Kind kind_ = Kind::Direct;
  const std::byte* data_ = nullptr;
  std::size_t element_bytes_ = 0;
  CastFunction cast_ = nullptr;
  Axes axes_;
  std::int64_t constant_elements_ = 0;
  alignas(kCacheLine) std::array<std::byte, kBlock * 8> raw_;
  alignas(kCacheLine) std::array<std::byte, kBlock * 8> converted_;
};

// Writes blocks of type `from` to dense memory of another or the same type, past the caches if asked to.
class Writer {
 public:
  Writer(std::byte* data, ir::DType dtype, ir::DType from, bool stream);
  // Where to put the block [first, first + n), n <= kBlock unless is_direct(); then commit.
  void* target(std::int64_t first);
  void commit(std::int64_t first, std::int64_t n, const NextRead& next = {});
  bool is_direct() const { return cast_ == nullptr && !stream_; }
  // After the last block.
  void finish() const;

 private:
  std::byte* data_;
  std::size_t element_bytes_;
  CastFunction cast_;
  bool stream_;
  alignas(kCacheLine) std::array<std::byte, kBlock * 8> block_;
  alignas(kCacheLine) std::array<std::byte, kBlock * 8> narrow_;
};

// nullptr if the types are equal.
CastFunction find_cast(ir::DType from, ir::DType to);

}  // namespace foretell::runtime::cpu::kernels
