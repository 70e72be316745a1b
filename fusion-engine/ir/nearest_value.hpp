// SPDX-License-Identifier: Apache-2.0
// What an element type makes of a number: of constants, and of what is stored in a tensor.
#pragma once

#include <cstdint>

#include "fusion-engine/ir/dtype.hpp"

namespace foretell::ir {

// Floats: to nearest, ties to even, in one rounding; overflow gives infinity; every NaN becomes the one
// positive quiet NaN, so that its text gives it back. Integers: towards zero, saturating at the largest and
// smallest that a double holds exactly, NaN to 0. Bool: 0 or 1.
double nearest_value(double value, DType dtype);

// What i32 and i64 make of it: towards zero, saturating at the type's own largest and smallest, NaN to 0.
std::int64_t nearest_integer(double value, DType dtype);

}  // namespace foretell::ir
