// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/ir/dtype.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace foretell::ir {
namespace {

// IEEE 754's formats; bf16 is the upper half of an f32.
constexpr std::array kTypes{
    DTypeInfo{DType::F32, "f32", 4, DType::F32, 24, -126, 127},
    DTypeInfo{DType::F64, "f64", 8, DType::F64, 53, -1022, 1023},
    DTypeInfo{DType::BF16, "bf16", 2, DType::F32, 8, -126, 127},
    DTypeInfo{DType::F16, "f16", 2, DType::F32, 11, -14, 15},
    DTypeInfo{DType::I32, "i32", 4, DType::I32, 31},
    DTypeInfo{DType::I64, "i64", 8, DType::I64, 63},
    DTypeInfo{DType::Bool, "bool", 1, DType::Bool, 1},
};

}  // namespace

double DTypeInfo::unit_roundoff() const { return is_float(dtype) ? std::ldexp(1.0, -digits) : 0.0; }

double DTypeInfo::largest() const {
  // 1.11...1 with `digits` ones: as 2 - 2^(1 - digits) it can't overflow on the way.
  return std::ldexp(2.0 - std::ldexp(1.0, 1 - digits), max_exponent);
}

double DTypeInfo::smallest_normal() const { return std::ldexp(1.0, min_exponent); }

double DTypeInfo::smallest_subnormal() const { return std::ldexp(1.0, min_exponent - (digits - 1)); }

bool holds_exactly(DType wide, DType narrow) {
  const DTypeInfo& to = info(wide);
  const DTypeInfo& from = info(narrow);
  if (wide == narrow || narrow == DType::Bool) {
    return true;
  }
  if (wide == DType::Bool || (is_float(narrow) && !is_float(wide)) || to.digits < from.digits) {
    return false;
  }
  // An integer of few digits is small enough for the exponent of every float that has as many.
  return !is_float(narrow) || (to.min_exponent - to.digits <= from.min_exponent - from.digits &&
                               to.max_exponent >= from.max_exponent);
}

const DTypeInfo& info(DType dtype) { return kTypes[static_cast<std::size_t>(dtype)]; }

std::optional<DType> find_dtype(std::string_view name) {
  const auto found = std::ranges::find(kTypes, name, &DTypeInfo::name);
  return found == kTypes.end() ? std::nullopt : std::optional(found->dtype);
}

}  // namespace foretell::ir
