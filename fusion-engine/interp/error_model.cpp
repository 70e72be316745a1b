// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/interp/error_model.hpp"

#include <cmath>

namespace foretell::interp {

namespace {

// Largest finite value and smallest positive subnormal of each float type (IEEE 754; bf16 is the upper half
// of an f32).
struct Range {
  double largest;
  double smallest;
};
constexpr Range range_of(ir::DType dtype) {
  switch (dtype) {
    case ir::DType::F32: return {0x1.fffffep127, 0x1p-149};
    case ir::DType::F64: return {0x1.fffffffffffffp1023, 0x1p-1074};
    case ir::DType::BF16: return {0x1.fep127, 0x1p-133};
    case ir::DType::F16: return {65504, 0x1p-24};
    default: return {std::numeric_limits<double>::infinity(), 0};
  }
}

}  // namespace

Rounding rounding(ir::DType dtype) {
  const Range range = range_of(dtype);
  if (!ir::is_float(dtype)) {
    return {.largest = range.largest};
  }
  const double reference_unit = ir::info(ir::DType::F64).unit_roundoff;
  const ir::DType compute = ir::compute_type(dtype);
  // The reference rounds as well: in f64 as much as what it is compared with.
  Rounding result{.unit = ir::info(compute).unit_roundoff + reference_unit,
                  .smallest = range.smallest,
                  .largest = range.largest};
  if (compute != dtype) {
    result.store = ir::info(dtype).unit_roundoff;
  }
  return result;
}

double rounded_bound(double result, double deviation, double units, const Rounding& rounding) {
  if (!std::isfinite(result)) {
    return deviation == 0 ? 0 : kUndetermined;
  }
  double bound = deviation;
  if (units > 0) {
    const double size = std::fabs(result) + deviation;
    bound += (units * rounding.unit + rounding.store) * size + std::fmax(units, 1) * rounding.smallest;
  }
  // Also where the operands' bounds give NaN.
  return bound <= rounding.largest - std::fabs(result) ? bound : kUndetermined;
}

double sum_bound(double result, double size, double deviation, std::int64_t terms, const Rounding& rounding) {
  if (!std::isfinite(result)) {
    return deviation == 0 ? 0 : kUndetermined;
  }
  // An intermediate sum may overflow where the result does not.
  if (!(size + deviation <= rounding.largest)) {
    return kUndetermined;
  }
  const double from_terms = static_cast<double>(terms) * rounding.unit * (size + deviation);
  const double from_store = rounding.store * (std::fabs(result) + deviation + from_terms);
  const double bound = deviation + from_terms + from_store + rounding.smallest;
  return bound <= rounding.largest - std::fabs(result) ? bound : kUndetermined;
}

}  // namespace foretell::interp
