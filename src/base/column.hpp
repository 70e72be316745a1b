// SPDX-License-Identifier: Apache-2.0
// One column of a table: a contiguous array of trivially copyable values that grows by realloc. Large blocks
// are moved by remapping pages and unused capacity is never touched, so a growing table does not need twice
// its size for a moment, as std::vector would.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

namespace foretell {

template <class T>
class Column {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Column() = default;
  Column(const Column& other) { append(other.values()); }
  Column(Column&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        capacity_(std::exchange(other.capacity_, 0)) {}
  Column& operator=(Column other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
    return *this;
  }
  ~Column() { std::free(data_); }

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::size_t allocated_bytes() const { return capacity_ * sizeof(T); }
  [[nodiscard]] std::span<const T> values() const { return {data_, size_}; }
  [[nodiscard]] std::span<T> values() { return {data_, size_}; }

  T& operator[](std::size_t row) { return data_[row]; }
  const T& operator[](std::size_t row) const { return data_[row]; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }

  void push_back(T value) {
    if (size_ == capacity_) {
      reserve(std::max<std::size_t>(64, capacity_ * 2));
    }
    data_[size_++] = value;
  }

  void append(std::span<const T> more) {
    if (more.empty()) {
      return;
    }
    if (size_ + more.size() > capacity_) {
      reserve(std::max(capacity_ * 2, size_ + more.size()));
    }
    std::memcpy(static_cast<void*>(data_ + size_), more.data(), more.size_bytes());
    size_ += more.size();
  }

  void resize(std::size_t size, T fill = T{}) {
    if (size > capacity_) {
      reserve(size);
    }
    if (size > size_) {
      std::fill(data_ + size_, data_ + size, fill);
    }
    size_ = size;
  }

  void reserve(std::size_t capacity) {
    if (capacity <= capacity_) {
      return;
    }
    void* grown = std::realloc(static_cast<void*>(data_), capacity * sizeof(T));
    if (grown == nullptr) {
      throw std::bad_alloc();  // as every standard container does; stopped in main
    }
    data_ = static_cast<T*>(grown);
    capacity_ = capacity;
  }

  void clear() { size_ = 0; }

  // Reorders the rows: new row i is old row order[i].
  template <class Index>
  void gather(std::span<const Index> order) {
    Column reordered;
    reordered.reserve(order.size());
    for (const Index row : order) {
      reordered.data_[reordered.size_++] = data_[row];
    }
    *this = std::move(reordered);
  }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace foretell
