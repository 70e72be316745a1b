// SPDX-License-Identifier: Apache-2.0
// Extents of a tensor, outermost first, row-major. Rank 0 is a scalar with one element.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>

#include "src/base/check.hpp"

namespace foretell::ir {

// Ranks above this are refused by the shape rules: frameworks' kernels stop at about the same.
inline constexpr std::size_t kMaxRank = 8;

// A short list of int64 without heap memory: extents, strides.
class Dims {
 public:
  Dims() = default;
  Dims(std::initializer_list<std::int64_t> values) : Dims(std::span(values.begin(), values.size())) {}
  explicit Dims(std::span<const std::int64_t> values) {
    FORETELL_CHECK(values.size() <= kMaxRank);
    for (const std::int64_t value : values) {
      values_[rank_++] = value;
    }
  }

  std::size_t rank() const { return rank_; }
  std::int64_t operator[](std::size_t i) const { return values_[i]; }
  std::int64_t& operator[](std::size_t i) { return values_[i]; }
  const std::int64_t* begin() const { return values_.data(); }
  const std::int64_t* end() const { return values_.data() + rank_; }
  void push_back(std::int64_t value) {
    FORETELL_CHECK(rank_ < kMaxRank);
    values_[rank_++] = value;
  }

  friend bool operator==(const Dims& a, const Dims& b) {
    if (a.rank_ != b.rank_) {
      return false;
    }
    for (std::size_t i = 0; i < a.rank_; ++i) {
      if (a.values_[i] != b.values_[i]) {
        return false;
      }
    }
    return true;
  }

 private:
  std::array<std::int64_t, kMaxRank> values_{};
  std::uint8_t rank_ = 0;
};

using Shape = Dims;

// Number of elements; saturates at the largest int64 (inference refuses such shapes).
std::int64_t elements(const Shape& shape);
// Strides of the dense row-major layout, in elements.
Dims dense_strides(const Shape& shape);
// NumPy's rule: right-aligned, extents equal or 1; nullopt if they don't match.
std::optional<Shape> broadcast(const Shape& a, const Shape& b);
// "[2,3]".
std::string to_string(const Shape& shape);

}  // namespace foretell::ir
