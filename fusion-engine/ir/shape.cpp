// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/ir/shape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace foretell::ir {

std::int64_t elements(const Shape& shape) {
  std::int64_t product = 1;
  bool overflow = false;
  for (const std::int64_t extent : shape) {
    if (extent == 0) {
      return 0;
    }
    overflow = __builtin_mul_overflow(product, extent, &product) || overflow;
  }
  return overflow ? std::numeric_limits<std::int64_t>::max() : product;
}

Dims dense_strides(const Shape& shape) {
  Dims strides = shape;
  std::int64_t stride = 1;
  for (std::size_t i = shape.rank(); i-- > 0;) {
    strides[i] = stride;
    stride *= shape[i];
  }
  return strides;
}

std::optional<Shape> broadcast(const Shape& a, const Shape& b) {
  const Shape& longer = a.rank() >= b.rank() ? a : b;
  const Shape& shorter = a.rank() >= b.rank() ? b : a;
  Shape result = longer;
  const std::size_t lead = longer.rank() - shorter.rank();
  for (std::size_t i = 0; i < shorter.rank(); ++i) {
    const std::int64_t x = longer[lead + i];
    const std::int64_t y = shorter[i];
    if (x != y && x != 1 && y != 1) {
      return std::nullopt;
    }
    result[lead + i] = x == 1 ? y : x;
  }
  return result;
}

std::string to_string(const Shape& shape) {
  return fmt::format("[{}]", fmt::join(shape.begin(), shape.end(), ","));
}

}  // namespace foretell::ir
