// SPDX-License-Identifier: Apache-2.0
// Element types of tensors: what is stored, what is computed in, and how precise it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace foretell::ir {

enum class DType : std::uint8_t { F32, F64, BF16, F16, I32, I64, Bool };

inline constexpr DType kAllDTypes[] = {DType::F32, DType::F64, DType::BF16, DType::F16,
                                       DType::I32, DType::I64, DType::Bool};

struct DTypeInfo {
  DType dtype;
  std::string_view name;   // as the text form writes it
  std::size_t size_bytes;  // of one stored element; a bool is one byte, 0 or 1
  DType compute;           // what kernels compute in: narrow floats in f32
  // Significant bits: of a float's significand with the implicit one, of an integer's or a bool's magnitude.
  int digits;
  // Of a float: the smallest normal number is 2^min_exponent, the largest lies below 2^(max_exponent + 1).
  int min_exponent = 0;
  int max_exponent = 0;

  // Half the distance from 1 to the next number; 0 for exact types.
  double unit_roundoff() const;
  // Of floats: the largest finite number, the smallest normal one, and the smallest subnormal one.
  double largest() const;
  double smallest_normal() const;
  double smallest_subnormal() const;
};

const DTypeInfo& info(DType dtype);
std::optional<DType> find_dtype(std::string_view name);

inline std::string_view to_string(DType dtype) { return info(dtype).name; }
inline std::size_t size_bytes(DType dtype) { return info(dtype).size_bytes; }
inline DType compute_type(DType dtype) { return info(dtype).compute; }
constexpr bool is_float(DType dtype) {
  return dtype == DType::F32 || dtype == DType::F64 || dtype == DType::BF16 || dtype == DType::F16;
}
constexpr bool is_integer(DType dtype) { return dtype == DType::I32 || dtype == DType::I64; }

// Whether every value of the type `narrow` is one of `wide` (a bool is 0 or 1).
bool holds_exactly(DType wide, DType narrow);

}  // namespace foretell::ir
