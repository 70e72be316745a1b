// SPDX-License-Identifier: Apache-2.0
// The error function.
#pragma once

#include "fusion-engine/codegen/simd/exponential.hpp"

namespace foretell_simd {
inline namespace FORETELL_SIMD_TARGET {

#if defined(__AVX512F__) && !defined(__clang__)
// erf(x) / x on 31 intervals of 1/7.6, the first half of one, around the multiples of that up to 4, as
// polynomials in t = 7.6 |x| - i, |t| <= 1/2: relative error 3.7e-9. A table of 32 is one permutation of two
// registers, so this is 16 operations where the two branches below are 35.
template <class V>
FORETELL_SIMD V erf_by_table(V x) {
  constexpr float scale = 7.6F;
  constexpr float limit = 4;  // erf is 1 from here on
  const V inside = smaller(splat<V>(limit), larger(splat<V>(-limit), x));
  const V shifted = abs(inside) * scale + 0x1.8p23F;  // rounds to an integer, which its low bits hold
  const V t = abs(inside) * scale - (shifted - 0x1.8p23F);
  const auto i = (ints<V>)shifted;
  constexpr V low4 = {3.36785233e-05F,  3.17148115e-05F,  2.59268145e-05F,  1.74448178e-05F,
                      7.72007479e-06F,  -1.71520594e-06F, -9.5667956e-06F,  -1.50031292e-05F,
                      -1.77412421e-05F, -1.79954332e-05F, -1.6328022e-05F,  -1.34601032e-05F,
                      -1.00975003e-05F, -6.80877019e-06F, -3.96825635e-06F, -1.75657874e-06F};
  constexpr V high4 = {-1.99031263e-07F, 7.80173082e-07F, 1.3055527e-06F,  1.51026313e-06F,
                       1.51149891e-06F,  1.39966551e-06F, 1.23724715e-06F, 1.06302377e-06F,
                       8.98212761e-07F,  7.5239916e-07F,  6.28257908e-07F, 5.24848645e-07F,
                       4.39671993e-07F,  3.69817997e-07F, 3.12528044e-07F, 0.0F};
  constexpr V low3 = {8.37424565e-08F, 0.000132273126F,  0.000248630822F,  0.000336044497F,
                      0.000386558939F, 0.000398290402F,  0.000375096308F,  0.000325137022F,
                      0.000258809247F, 0.000186615827F,  0.000117452386F,  5.75888444e-05F,
                      1.03927177e-05F, -2.33469909e-05F, -4.47368693e-05F, -5.5987497e-05F};
  constexpr V high3 = {-5.97063954e-05F, -5.83828478e-05F, -5.40905312e-05F, -4.83773329e-05F,
                       -4.22847443e-05F, -3.64371845e-05F, -3.11538206e-05F, -2.65529688e-05F,
                       -2.2634882e-05F,  -1.9339881e-05F,  -1.65850215e-05F, -1.42847166e-05F,
                       -1.23607506e-05F, -1.074598e-05F,   -9.38471749e-06F, 0.0F};
  constexpr V low2 = {-0.00651190057F, -0.00631102454F, -0.00573278358F, -0.00484568113F,
                      -0.003750209F,   -0.00256171357F, -0.00139229686F, -0.000335484423F,
                      0.000543687202F, 0.00121212238F,  0.00166623737F,  0.00192538521F,
                      0.00202335697F,  0.00200001453F,  0.00189451233F,  0.00174079812F};
  constexpr V high2 = {0.00156540773F,  0.00138711208F,  0.00121777947F,  0.00106383581F,
                       0.00092784228F,  0.000809892954F, 0.000708699808F, 0.000622346823F,
                       0.000548760872F, 0.000485971948F, 0.000432232016F, 0.000386050204F,
                       0.000346183107F, 0.000311605952F, 0.000281477929F, 0.0F};
  constexpr V low1 = {1.12144694e-09F, -0.0128892958F, -0.0249914937F, -0.0356137939F,
                      -0.0442349762F,  -0.0505527072F, -0.0544949919F, -0.0561976321F,
                      -0.0559560992F,  -0.0541640483F, -0.0512510091F, -0.0476293974F,
                      -0.0436570458F,  -0.0396168195F, -0.0357116312F, -0.0320707336F};
  constexpr V high1 = {-0.0287627075F,  -0.0258108824F, -0.02320816F,    -0.0209294185F,
                       -0.0189407952F,  -0.017205989F,  -0.0156900398F,  -0.014361294F,
                       -0.0131921442F,  -0.012159057F,  -0.0112422295F,  -0.0104250964F,
                       -0.00969382375F, -0.0090368418F, -0.00844443776F, 0.0F};
  constexpr V low0 = {1.12837923F,  1.12190092F,  1.10286403F,  1.07241321F,  1.03230584F,  0.984713554F,
                      0.931994498F, 0.876471877F, 0.820248365F, 0.765076876F, 0.712293744F, 0.662810445F,
                      0.617151022F, 0.575518131F, 0.537871599F, 0.504006088F};
  constexpr V high0 = {0.473618656F, 0.446361631F, 0.421880335F, 0.399837226F, 0.379924774F, 0.361871034F,
                       0.345439881F, 0.3304286F,   0.316664129F, 0.303999007F, 0.292307317F, 0.281481326F,
                       0.271428525F, 0.262068957F, 0.25333333F,  0.0F};
  V p = __builtin_shuffle(low4, high4, i);
  p = p * t + __builtin_shuffle(low3, high3, i);
  p = p * t + __builtin_shuffle(low2, high2, i);
  p = p * t + __builtin_shuffle(low1, high1, i);
  p = p * t + __builtin_shuffle(low0, high0, i);
  return inside * p;
}
#endif
template <class V>
FORETELL_SIMD V erf(V x) {
#if defined(__AVX512F__) && !defined(__clang__)
  if constexpr (!is_f64<V> && lanes<V> == 16) {
    return erf_by_table(x);
  }
#endif
  const V a = clamp_to(abs(x), 0, is_f64<V> ? 6 : 4);  // erf is 1 beyond
  const V z = x * x;
  if constexpr (is_f64<V>) {
    // |x| < 1: erf(x) / x in x^2: 7.4e-18. Else 1 - exp(-x^2) p(t), t = (x - 2) / (x + 2): 5.8e-19.
    const V small =
        x * polynomial(z, 1.128379167095512566, -0.3761263890318352002, 0.1128379167094420031,
                       -0.02686617064311341372, 0.005223977606130842167, -0.0008548325929766244298,
                       0.0001205529358693694998, -0.00001492471243953481411, 1.644713269978662101e-6,
                       -1.6206318752969209e-7, 1.371098870419052312e-8, -7.779462971761596892e-10);
    const V t = (a - 2) / (a + 2);
    const V p = polynomial(t, 0.2553956763105057614, -0.4271858474139567781, 0.2416581942424669515,
                           -0.07897858101645544629, 0.003732892398590035837, 0.006997461790086704728,
                           -0.0008471425723213987214, -0.0009819765837426078224, 0.0000435353070358390055,
                           0.0001742876707867997034, 0.00002763086241074097549, -0.00002658692586621605611,
                           -0.00001262194248221722748);
    const V large = with_sign(1 - exp_normal(-a * a) * p, x);
    return abs(x) < 1 ? small : large;
  } else {
    // |x| < 0.9: erf(x) / x in x^2: 3e-10. Else 1 - exp(p(x)): 1.7e-9.
    const V small = x * polynomial(z, 1.128379167, -0.3761263498, 0.1128371506, -0.02686050936,
                                   0.005203860367, -0.0008175644596, 8.513099813e-5);
    const V p = polynomial(a, -0.0001664695084, -1.127797138, -0.6369762872, -0.1041134724, 0.02231509761,
                           -0.003065456128, 0.0001982154395);
    const V large = with_sign(1 - exp_normal(p), x);
    return abs(x) < static_cast<element<V>>(0.9) ? small : large;
  }
}

}  // namespace FORETELL_SIMD_TARGET
}  // namespace foretell_simd
