// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/ir/nearest_value.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "fusion-engine/ir/half.hpp"
#include "src/base/check.hpp"

namespace foretell::ir {
namespace {

// To f32 with "round to odd": cut off, then the last bit set if anything was lost. A second rounding to a
// type with at least two bits less is then the same as one direct rounding (Boldo and Melquiond, IEEE Trans.
// Comput. 57(4), 2008).
float to_odd_f32(double value) {
  const auto nearest = static_cast<float>(value);
  if (static_cast<double>(nearest) == value) {
    return nearest;
  }
  auto bits = std::bit_cast<std::uint32_t>(nearest);
  if (std::fabs(static_cast<double>(nearest)) > std::fabs(value)) {
    --bits;
  }
  return std::bit_cast<float>(bits | 1U);
}

}  // namespace

double nearest_value(double value, DType dtype) {
  if (is_float(dtype) && std::isnan(value)) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  switch (dtype) {
    case DType::F32: return static_cast<double>(static_cast<float>(value));
    case DType::F64: return value;
    case DType::BF16: return static_cast<double>(bf16_to_f32(f32_to_bf16(to_odd_f32(value))));
    case DType::F16: return static_cast<double>(f16_to_f32(f32_to_f16(to_odd_f32(value))));
    case DType::I32: return static_cast<double>(nearest_integer(value, dtype));
    case DType::I64:
      // 2^63 - 1 has no double; 2^63 - 1024 is the largest below it.
      return std::min(static_cast<double>(nearest_integer(value, dtype)), 0x1p63 - 1024);
    case DType::Bool: return value != 0.0 ? 1.0 : 0.0;
  }
  return value;
}

std::int64_t nearest_integer(double value, DType dtype) {
  FORETELL_CHECK(is_integer(dtype));
  const bool narrow = dtype == DType::I32;
  const std::int64_t lowest =
      narrow ? std::numeric_limits<std::int32_t>::min() : std::numeric_limits<std::int64_t>::min();
  const std::int64_t largest =
      narrow ? std::numeric_limits<std::int32_t>::max() : std::numeric_limits<std::int64_t>::max();
  if (std::isnan(value)) {
    return 0;
  }
  // As a double the largest i64 is 2^63: from there on no int64 is nearer.
  if (value >= static_cast<double>(largest)) {
    return largest;
  }
  return value <= static_cast<double>(lowest) ? lowest : static_cast<std::int64_t>(value);
}

}  // namespace foretell::ir
