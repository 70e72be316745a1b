// SPDX-License-Identifier: Apache-2.0
// sin and cos. Beyond |x| = 1e5 they call libm lane by lane.
#pragma once

#include "fusion-engine/codegen/simd/exponential.hpp"

namespace foretell_simd {
inline namespace FORETELL_SIMD_TARGET {

// x = q pi/2 + r, |r| <= pi/4, for |x| <= kLargestAngle. pi/2 is a sum of doubles of 33, 33 and 53 bits,
// whose products with q < 2^20 are exact. f32 is reduced in f64, or where products can be fused in three f32
// parts.
inline constexpr double kLargestAngle = 1e5;
template <class V>
struct Quadrant {
  V r;
  bits_of<V> q;
};
template <class V>
FORETELL_SIMD Quadrant<V> reduce_angle(V x) {
#if defined(__FMA__)
  if constexpr (!is_f64<V>) {
    // Fused, the products are exact in f32 too: pi/2 in three parts of 24 bits.
    const V shift32 = splat<V>(0x1.8p23F);
    const V shifted32 = x * 0.636619772F + shift32;
    const V n32 = shift32 - shifted32;  // -n
    const V first32 = fma(n32, splat<V>(1.57079637050628662F), x);
    const V second32 = fma(n32, splat<V>(-4.37113882867379e-8F), first32);
    return {fma(n32, splat<V>(-1.71512451000588e-15F), second32), (bits_of<V>)shifted32 & 3U};
  }
#endif
  using D = like<double, V>;
  const D wide = __builtin_convertvector(x, D);
  const D shift = splat<D>(0x1.8p52);
  const D shifted = wide * 0.63661977236758134308 + shift;
  const D n = shifted - shift;
  const bits_of<D> q = (bits_of<D>)shifted & 3U;
  const D first = wide - n * 1.57079632673412561417;
  if constexpr (is_f64<V>) {
    return {(first - n * 6.07710050630396597660e-11) - n * 2.02226624879595063154e-21, q};
  } else {
    const D r = first - n * 6.07710050650619224932e-11;
    return {__builtin_convertvector(r, V), __builtin_convertvector(q, bits_of<V>)};
  }
}
// sin(r + q pi/2).
template <class V>
FORETELL_SIMD V sin_quadrant(V r, bits_of<V> q) {
  const V z = r * r;
  V s;  // sin(r) = r + r z s(z), cos(r) = 1 - z / 2 + z^2 c(z), |r| <= 0.7855: f32 3.6e-9, 9.5e-11;
        // f64 3.5e-18, 4.7e-20
  V c;
  if constexpr (is_f64<V>) {
    s = polynomial(z, -0.1666666666666663211, 0.008333333333322432698, -0.0001984126982982124567,
                   2.755731369592995614e-6, -2.505075864814831255e-8, 1.589682159881873253e-10);
    c = polynomial(z, 0.04166666666666659956, -0.001388888888887413783, 0.00002480158728949020423,
                   -2.755731435443927034e-7, 2.087572353150288528e-9, -1.135965983240280606e-11);
  } else {
    s = polynomial(z, -0.1666665494, 0.008332177955, -0.0001951726337);
    c = polynomial(z, 0.04166664684, -0.001388736624, 2.443831377e-5);
  }
  const V sine = r + r * z * s;
  const V cosine = 1 - (static_cast<element<V>>(0.5) * z - z * z * c);
  const V chosen = (q & 1U) != 0U ? cosine : sine;
  constexpr int to_sign_bit = 8 * static_cast<int>(sizeof(element<V>)) - 2;
  return (V)((bits_of<V>)chosen ^ ((q & 2U) << to_sign_bit));
}
template <unsigned Turned>
FORETELL_SIMD float libm_sine(float x) {
  return Turned == 0 ? __builtin_sinf(x) : __builtin_cosf(x);
}
template <unsigned Turned>
FORETELL_SIMD double libm_sine(double x) {
  return Turned == 0 ? __builtin_sin(x) : __builtin_cos(x);
}
// Turned = 0: the sine of x; 1: that of x + pi/2, its cosine.
template <unsigned Turned, class V>
FORETELL_SIMD V sine(V x) {
  const auto regular = abs(x) <= static_cast<element<V>>(kLargestAngle);
  const Quadrant<V> a = reduce_angle(regular ? x : V{});
  V result = sin_quadrant(a.r, a.q + Turned);
  if (__builtin_expect(any(~regular), 0)) {
    for (int i = 0; i < lanes<V>; ++i) {
      if (!regular[i]) {
        result[i] = libm_sine<Turned>(x[i]);
      }
    }
  }
  return result;
}
template <class V>
FORETELL_SIMD V sin(V x) {
  return sine<0>(x);
}
template <class V>
FORETELL_SIMD V cos(V x) {
  return sine<1>(x);
}

}  // namespace FORETELL_SIMD_TARGET
}  // namespace foretell_simd
