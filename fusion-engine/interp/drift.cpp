// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/interp/drift.hpp"

#include <algorithm>
#include <cmath>

#include "fusion-engine/interp/error_model.hpp"
#include "fusion-engine/ir/nearest_value.hpp"

namespace foretell::interp {

namespace {

// Distance between neighbours of the dtype around `value`.
double ulp_of(double value, const ir::DTypeInfo& format) {
  const int exponent = value == 0 ? format.min_exponent : std::ilogb(value);
  return std::ldexp(1.0, std::max(exponent, format.min_exponent) - (format.digits - 1));
}

void count_ulp(Drift& drift, double ulp) {
  const auto edge = std::ranges::lower_bound(kUlpEdges, ulp);
  ++drift.ulp_histogram[static_cast<std::size_t>(edge - kUlpEdges.begin())];
  drift.max_ulp = std::max(drift.max_ulp, ulp);
}

// One element that is finite on both sides. Returns its relative error.
double count_difference(Drift& drift, double difference, double reference, const ir::DTypeInfo& format) {
  const bool is_real = ir::is_float(format.dtype);
  const double smallest = is_real ? format.smallest_normal() : 1;
  const double relative = is_real ? difference / std::max(std::fabs(reference), smallest) : difference;
  count_ulp(drift, is_real ? difference / ulp_of(reference, format) : difference);
  drift.max_relative = std::max(drift.max_relative, relative);
  return relative;
}

}  // namespace

Drift compare(const ir::HostTensor& actual, const Value& reference) {
  FORETELL_CHECK(actual.type == reference.type);
  const ir::DType dtype = reference.type.dtype;
  const bool is_real = ir::is_float(dtype);
  const ir::DTypeInfo& format = ir::info(dtype);
  Drift drift{.elements = ir::elements(reference.type.shape)};
  double relative_sum = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(drift.elements); ++i) {
    const bool has_bound = !reference.bounds.empty();
    const double bound = has_bound ? reference.bounds[i] : 0;
    if (has_bound && bound == kUndetermined) {
      ++drift.undetermined;
      continue;
    }
    double difference = 0;
    double wanted = 0;
    if (is_real) {
      wanted = reference.reals[i];
      // A reference that the dtype rounds to an infinity stands for one.
      if (std::isinf(ir::nearest_value(wanted, dtype))) {
        wanted = std::copysign(kUndetermined, wanted);
      }
      const double x = ir::get(actual, static_cast<std::int64_t>(i));
      const bool same = x == wanted || (std::isnan(x) && std::isnan(wanted));
      if (!std::isfinite(x) || !std::isfinite(wanted)) {
        drift.nonfinite_mismatches += same ? 0 : 1;
        continue;
      }
      difference = std::fabs(x - wanted);
    } else {
      // Unsigned, since two 64-bit numbers can differ by more than the largest signed one.
      const std::int64_t x = ir::get_integer(actual, static_cast<std::int64_t>(i));
      const auto [low, high] = std::minmax(x, reference.integers[i]);
      difference = static_cast<double>(static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low));
    }
    relative_sum += count_difference(drift, difference, wanted, format);
    if (has_bound && difference > 0) {
      drift.max_of_bound = std::max(drift.max_of_bound, difference / bound);
    }
  }
  const std::int64_t compared = drift.elements - drift.undetermined;
  drift.mean_relative = compared > 0 ? relative_sum / static_cast<double>(compared) : 0;
  return drift;
}

void merge(Drift& into, const Drift& other) {
  const auto weight = [](const Drift& drift) {
    return static_cast<double>(drift.elements - drift.undetermined);
  };
  const double total = weight(into) + weight(other);
  if (total > 0) {
    into.mean_relative = (into.mean_relative * weight(into) + other.mean_relative * weight(other)) / total;
  }
  into.elements += other.elements;
  into.max_relative = std::max(into.max_relative, other.max_relative);
  into.max_ulp = std::max(into.max_ulp, other.max_ulp);
  for (std::size_t i = 0; i < into.ulp_histogram.size(); ++i) {
    into.ulp_histogram[i] += other.ulp_histogram[i];
  }
  into.nonfinite_mismatches += other.nonfinite_mismatches;
  into.undetermined += other.undetermined;
  into.max_of_bound = std::max(into.max_of_bound, other.max_of_bound);
}

}  // namespace foretell::interp
