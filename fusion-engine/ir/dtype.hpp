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
  double unit_roundoff;    // half the distance from 1 to the next number (IEEE 754); 0 for exact types
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

}  // namespace foretell::ir
