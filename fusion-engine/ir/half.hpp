// SPDX-License-Identifier: Apache-2.0
// The two 16-bit float formats as bit patterns. Conversions round to nearest, ties to even; NaN stays NaN.
#pragma once

#include <bit>
#include <cstdint>

namespace foretell::ir {

inline float bf16_to_f32(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16U);
}

inline std::uint16_t f32_to_bf16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7FFFFFFFU) > 0x7F800000U) {
    return static_cast<std::uint16_t>((bits >> 16U) | 0x40U);  // quiet NaN
  }
  return static_cast<std::uint16_t>((bits + 0x7FFFU + ((bits >> 16U) & 1U)) >> 16U);
}

// g++ 12 and clang know _Float16 on every x86-64 and use F16C or AVX512-FP16 where they may.
inline float f16_to_f32(std::uint16_t bits) { return static_cast<float>(std::bit_cast<_Float16>(bits)); }
inline std::uint16_t f32_to_f16(float value) {
  return std::bit_cast<std::uint16_t>(static_cast<_Float16>(value));
}

}  // namespace foretell::ir
