// SPDX-License-Identifier: Apache-2.0
// exp, log and what is made of them. Polynomials, here and in the headers behind this one, are near-minimax
// in relative error, by Remez exchange in 50 digits; the comment gives interval and error.
#pragma once

#include "fusion-engine/codegen/simd/arithmetic.hpp"

namespace foretell_simd {
inline namespace FORETELL_SIMD_TARGET {

// c0 + c1 x + c2 x^2 + ...
template <class V>
FORETELL_SIMD V polynomial(V, double c0) {
  return splat<V>(static_cast<element<V>>(c0));
}
template <class V, class... C>
FORETELL_SIMD V polynomial(V x, double c0, C... rest) {
  return polynomial(x, rest...) * x + splat<V>(static_cast<element<V>>(c0));
}

template <class V>
struct FloatFormat;  // of V's elements
template <>
struct FloatFormat<float> {
  static constexpr int fraction_bits = 23;
  static constexpr int bias = 127;
  static constexpr double integer_shift = 0x1.8p23;  // adding it leaves the nearest integer in the low bits
  static constexpr double ln2_high =
      0x1.62e4p-1;  // few enough bits that its products with exponents are exact
  static constexpr double ln2_low = 1.428606765330187e-06;
  static constexpr double tiny = 0x1p-25;  // x^2 no longer counts beside x
};
template <>
struct FloatFormat<double> {
  static constexpr int fraction_bits = 52;
  static constexpr int bias = 1023;
  static constexpr double integer_shift = 0x1.8p52;
  static constexpr double ln2_high = 0x1.62e42feep-1;
  static constexpr double ln2_low = 1.9082149292705877e-10;
  static constexpr double tiny = 0x1p-54;
};
template <class V>
using format = FloatFormat<element<V>>;

// x = n ln 2 + r with |r| <= ln 2 / 2 (a little more after rounding): exp(x) = 2^n exp(r).
template <class V>
struct ReducedExponent {
  V r;
  ints<V> n;
};
template <class V>
FORETELL_SIMD ReducedExponent<V> reduce_exponent(V x) {
  using E = element<V>;
  const V shift = splat<V>(static_cast<E>(format<V>::integer_shift));
  const V shifted = x * static_cast<E>(1.4426950408889634) + shift;
  const V n = shifted - shift;
  const V r = (x - n * static_cast<E>(format<V>::ln2_high)) - n * static_cast<E>(format<V>::ln2_low);
  return {r, (ints<V>)((bits_of<V>)shifted - (bits_of<V>)shift)};
}
// 2^n for n in the range of normal numbers.
template <class V>
FORETELL_SIMD V power_of_two(ints<V> n) {
  return (V)((bits_of<V>)(n + format<V>::bias) << format<V>::fraction_bits);
}
// exp(r) - 1 = r + r^2 q(r), |r| <= 0.3470: 2.4e-10 (f32), 1.8e-17 (f64).
template <class V>
FORETELL_SIMD V expm1_reduced(V r) {
  V q;
  if constexpr (is_f64<V>) {
    q = polynomial(r, 0.50000000000000056, 0.1666666666666668626, 0.04166666666657295065,
                   0.008333333333314411515, 0.001388888893261565969, 0.0001984126990344830394,
                   0.00002480150414509134756, 2.755722755961179166e-6, 2.76264517624946649e-7,
                   2.51146037689656275e-8);
  } else {
    q = polynomial(r, 0.5000000047, 0.1666666683, 0.04166635364, 0.008333271266, 0.001394110042,
                   0.0001991502351);
  }
  return r + r * r * q;
}
template <class V>
FORETELL_SIMD V clamp_to(V x, double low, double high) {  // NaN stays
  using E = element<V>;
  return smaller(splat<V>(static_cast<E>(high)), larger(splat<V>(static_cast<E>(low)), x));
}
// exp for results in the range of normal numbers; NaN stays.
template <class V>
FORETELL_SIMD V exp_normal(V x) {
  const ReducedExponent<V> e = reduce_exponent(x);
  return (expm1_reduced(e.r) + 1) * power_of_two<V>(e.n);
}
template <class V>
FORETELL_SIMD V exp(V x) {
  // Beyond these it is 0 or infinity. The power in two factors: overflow and subnormals round as products do.
  const V inside = is_f64<V> ? clamp_to(x, -746, 710) : clamp_to(x, -104, 89);
  const ReducedExponent<V> e = reduce_exponent(inside);
  const ints<V> n1 = e.n >> 1;
  return (expm1_reduced(e.r) + 1) * power_of_two<V>(n1) * power_of_two<V>(e.n - n1);
}
template <class V>
FORETELL_SIMD V expm1(V x) {
  // 2^n (exp(r) - 1) + (2^n - 1); halved on the way, so that the largest results don't overflow early.
  const V inside = is_f64<V> ? clamp_to(x, -40, 710) : clamp_to(x, -20, 89);
  const ReducedExponent<V> e = reduce_exponent(inside);
  const V scale = power_of_two<V>(e.n - 1);
  const V result = (scale * expm1_reduced(e.r) + (scale - static_cast<element<V>>(0.5))) * 2;
  return abs(x) < static_cast<element<V>>(format<V>::tiny) ? x : result;
}

// For x > 0: 2^k (1 + f) = x, 1 + f in [sqrt 1/2, sqrt 2). Subnormals are scaled first.
template <class V>
struct Significand {
  V f;
  V k;
};
template <class V>
FORETELL_SIMD Significand<V> split_exponent(V x) {
  using E = element<V>;
  using U = bits_of<V>;
  using F = format<V>;
  constexpr E smallest = static_cast<E>(is_f64<V> ? 0x1p-1022 : 0x1p-126);
  constexpr E up = static_cast<E>(is_f64<V> ? 0x1p54 : 0x1p25);
  const auto subnormal = x < smallest;
  const U u = (U)(subnormal ? x * up : x);
  const U sqrt_half = (U)splat<V>(static_cast<E>(0.70710678118654752));
  const ints<V> k = (ints<V>)(u - sqrt_half) >> F::fraction_bits;
  const V significand = (V)(u - ((U)k << F::fraction_bits));
  const V shift = splat<V>(static_cast<E>(F::integer_shift));  // turns the integer k into a float
  const V exponent = (V)((U)shift + (U)k) - shift;
  return {significand - 1, subnormal ? exponent - static_cast<E>(is_f64<V> ? 54 : 25) : exponent};
}
// k ln 2 + log(1 + f) + c, c small.
template <class V>
FORETELL_SIMD V log_sum(Significand<V> x, V c) {
  using E = element<V>;
  const E half_one = static_cast<E>(0.5);
  const V high = x.k * static_cast<E>(format<V>::ln2_high);
  const V low = x.k * static_cast<E>(format<V>::ln2_low) + c;
  const V f = x.f;
  const V half_square = half_one * f * f;
  if constexpr (is_f64<V>) {
    // log(1 + f) = log((1 + s) / (1 - s)) = 2 s + s z p(z), s = f / (2 + f), z = s^2 <= 0.0295: 1.2e-18.
    const V s = f / (2 + f);
    const V z = s * s;
    const V tail = z * polynomial(z, 0.6666666666666734304, 0.3999999999941526712, 0.2857142874229820007,
                                  0.2222219857791457202, 0.1818356429918814334, 0.1531404617168796939,
                                  0.1479603846703312852);
    return high - ((half_square - (s * (half_square + tail) + low)) - f);
  } else {
    // log(1 + f) = f - f^2 / 2 + f^3 p(f), f in [-0.293, 0.4143]: 7.4e-10.
    const V p = polynomial(f, 0.3333331052, -0.2499998592, 0.200022225, -0.166692819, 0.1421874306,
                           -0.1238389921, 0.1187205434, -0.1179192753, 0.06919597489);
    return (f + ((f * f * f * p + low) - half_square)) + high;
  }
}
template <class V>
FORETELL_SIMD V log_limits(V x, V result) {  // result where x is positive and finite
  using E = element<V>;
  const V infinity = splat<V>(static_cast<E>(__builtin_inf()));
  const V regular = x < infinity ? result : x;
  return x > 0 ? regular : (x == 0 ? -infinity : splat<V>(static_cast<E>(__builtin_nan(""))));
}
template <class V>
FORETELL_SIMD V log(V x) {
  return log_limits(x, log_sum(split_exponent(x), V{}));
}
template <class V>
FORETELL_SIMD V log1p(V x) {
  const V u = 1 + x;
  const V lost =
      u < 2 ? x - (u - 1) : 1 - (u - x);  // what rounding u lost; log(u + lost) = log(u) + lost / u
  const V result = log_limits(u, log_sum(split_exponent(u), lost / u));
  return abs(x) < static_cast<element<V>>(format<V>::tiny) ? x : result;
}

template <class V>
FORETELL_SIMD V tanh(V x) {
  const V doubled =
      clamp_to(2 * abs(x), 0, is_f64<V> ? 40 : 20);  // 1 - tanh is below half an ulp from there on
  const V e = expm1(doubled);
  return with_sign(e / (e + 2), x);
}
template <class V>
FORETELL_SIMD V sigmoid(V x) {
  const V e = exp(-abs(x));
  return (x < 0 ? e : splat<V>(1)) / (1 + e);
}

}  // namespace FORETELL_SIMD_TARGET
}  // namespace foretell_simd
