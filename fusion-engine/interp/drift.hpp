// SPDX-License-Identifier: Apache-2.0
// How far an executor's result is from the reference.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "fusion-engine/interp/interpreter.hpp"

namespace foretell::interp {

// Upper edges, in units in the last place of the dtype at the reference value. Up to a half is a reference
// rounded right; beyond the last edge there is one more bin.
inline constexpr std::array<double, 9> kUlpEdges{0.5, 1, 2, 4, 8, 16, 64, 1024, 65536};

struct Drift {
  std::int64_t elements = 0;
  double max_relative = 0;  // |x - r| / max(|r|, smallest normal of the dtype)
  double mean_relative = 0;
  double max_ulp = 0;
  std::array<std::int64_t, kUlpEdges.size() + 1> ulp_histogram{};
  std::int64_t nonfinite_mismatches = 0;  // NaN or infinity on one side only
  std::int64_t undetermined = 0;          // bounds given: elements that may fall either way, not compared
  double max_of_bound = 0;                // bounds given: largest |x - r| / bound; <= 1 is within tolerance
};

// `actual` has the reference's type. Integers and bool must be equal: a difference counts as its absolute
// value.
Drift compare(const ir::HostTensor& actual, const Value& reference);
// Two outputs' drifts as one.
void merge(Drift& into, const Drift& other);

}  // namespace foretell::interp
