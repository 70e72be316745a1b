// SPDX-License-Identifier: Apache-2.0
// An op's arguments with their sizes in bytes.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "analyzer/whatif/op_shapes.hpp"

namespace foretell::whatif {

class OpArguments {
 public:
  // `fallback`: type of tensors without a recorded one. The arguments must outlive this.
  OpArguments(const std::vector<Argument>& arguments, DType fallback)
      : arguments_(arguments), fallback_(fallback) {}

  [[nodiscard]] const std::vector<Argument>& all() const { return arguments_; }
  [[nodiscard]] DType dtype_of(const Argument& each) const {
    return each.dtype == DType::Unknown ? fallback_ : each.dtype;
  }
  [[nodiscard]] double bytes_of(const Argument& each) const {
    return each.elements() * size_bytes(dtype_of(each));
  }
  [[nodiscard]] double sum_bytes() const;
  [[nodiscard]] double largest_bytes() const;
  // Of the shape that all tensors broadcast to; where they don't, or come in lists, the largest. `forced`:
  // type of the result, else the tensors' common one, which a tensor of no dimension does not widen.
  [[nodiscard]] double result_bytes(std::optional<DType> forced) const;
  // Argument `index` if it is one tensor of at least `rank` dimensions, else nullptr.
  [[nodiscard]] const Argument* tensor(std::size_t index, std::size_t rank) const;

 private:
  const std::vector<Argument>& arguments_;
  DType fallback_;
};

}  // namespace foretell::whatif
