// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/interp/error_model.hpp"

#include <cmath>

namespace foretell::interp {

Rounding rounding(ir::DType dtype) {
  const ir::DTypeInfo& format = ir::info(dtype);
  if (!ir::is_float(dtype)) {
    return {.largest = std::numeric_limits<double>::infinity()};
  }
  const double reference_unit = ir::info(ir::DType::F64).unit_roundoff();
  const ir::DType compute = ir::compute_type(dtype);
  // The reference rounds as well: in f64 as much as what it is compared with.
  Rounding result{.unit = ir::info(compute).unit_roundoff() + reference_unit,
                  .smallest = format.smallest_subnormal(),
                  .largest = format.largest()};
  if (compute != dtype) {
    result.store = format.unit_roundoff();
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
