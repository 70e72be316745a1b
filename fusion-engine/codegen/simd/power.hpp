// SPDX-License-Identifier: Apache-2.0
// pow: of f32 through exp and log in f64, of f64 by libm lane by lane.
#pragma once

#include "fusion-engine/codegen/simd/convert.hpp"
#include "fusion-engine/codegen/simd/exponential.hpp"

namespace foretell_simd {
inline namespace FORETELL_SIMD_TARGET {

// As C's pow. f32: exp(y log |x|) in f64, then the sign.
template <class V>
FORETELL_SIMD V pow(V x, V y) {
  if constexpr (is_f64<V>) {
    for (int i = 0; i < lanes<V>; ++i) {
      x[i] = __builtin_pow(x[i], y[i]);
    }
    return x;
  } else {
    using D = like<double, V>;
    using U = bits_of<V>;
    const V base = abs(x);
    const D logarithm = log(__builtin_convertvector(base, D));
    const V power = __builtin_convertvector(exp(__builtin_convertvector(y, D) * logarithm), V);
    const V magnitude = base == 1 ? splat<V>(1) : power;  // also 1^inf, and 1^NaN for x = 1
    const V whole = floor(y);
    const V half_whole = floor(y * 0.5F);
    const auto odd = (whole == y) & (half_whole * 2 != y);
    const U sign_bit = ((U)x & 0x80000000U) & (U)odd;
    const V signed_power = (V)((U)magnitude | sign_bit);
    const auto undefined = (x < 0) & (whole != y) & (base < __builtin_inff());
    const V defined = undefined ? splat<V>(__builtin_nanf("")) : signed_power;
    const V propagated = ((x == x) & (y == y)) ? defined : x + y;
    return ((x == 1) | (y == 0)) ? splat<V>(1) : propagated;
  }
}

}  // namespace FORETELL_SIMD_TARGET
}  // namespace foretell_simd
