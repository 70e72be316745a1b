// SPDX-License-Identifier: Apache-2.0
// The error function.
#pragma once

#include "fusion-engine/codegen/simd/exponential.hpp"

namespace foretell_simd {
inline namespace FORETELL_SIMD_TARGET {

#if defined(__AVX512F__) && !defined(__clang__)
// erf(x) / x on 16 intervals of 1/4 up to 4, as polynomials in t = 4 |x| - 1/2 - i, |t| <= 1/2: relative
// error 2.7e-9. A table of 16 is one permutation, so this is 18 operations where the two branches below
// are 35.
template <class V>
FORETELL_SIMD V erf_by_table(V x) {
  constexpr float limit = 3.99F;  // erf is 1 from here on
  const V above = x < -limit ? splat<V>(-limit) : x;
  const V inside = above > limit ? splat<V>(limit) : above;
  const V position = abs(inside) * 4 - 0.5F;
  const V shifted = position + 0x1.8p23F;  // rounds to an integer, which its low bits hold
  const V t = position - (shifted - 0x1.8p23F);
  const auto i = (ints<V>)shifted;
  constexpr V c5 = {-1.90111259e-05F, -4.51844498e-05F, -4.54211186e-05F, -2.49792411e-05F,
                    -6.60821001e-07F, 1.40627535e-05F,  1.65310048e-05F,  1.17805712e-05F,
                    5.7807656e-06F,   1.63820926e-06F,  -3.0042176e-07F,  -8.44865383e-07F,
                    -7.96314737e-07F, -5.98762654e-07F, -4.17440447e-07F, -2.86318681e-07F};
  constexpr V c4 = {0.000414275506F,  0.000244915194F,  7.73683132e-06F,  -0.000173437424F,
                    -0.000235692991F, -0.000197027126F, -0.000116355004F, -4.40291951e-05F,
                    -4.97628889e-07F, 1.70938201e-05F,  1.96926139e-05F,  1.64567518e-05F,
                    1.2232128e-05F,   8.73242789e-06F,  6.21044546e-06F,  4.47074626e-06F};
  constexpr V c3 = {0.000865276437F,  0.0022341595F,    0.00273977802F,   0.00236878591F,
                    0.00150360004F,   0.000609891897F,  -2.14737338e-05F, -0.000332996889F,
                    -0.000410484005F, -0.00036934868F,  -0.000292080716F, -0.000218756701F,
                    -0.000161481439F, -0.000119934208F, -9.03965338e-05F, -6.92852336e-05F};
  constexpr V c2 = {-0.0228526443F, -0.0180309545F, -0.0103290537F, -0.00248318445F,
                    0.00338698807F, 0.00651671318F, 0.00731717097F, 0.00671258708F,
                    0.00555396825F, 0.00436696969F, 0.00337249343F, 0.00260960613F,
                    0.00204351684F, 0.00162489736F, 0.00131191663F, 0.00107412657F};
  constexpr V c1 = {-0.023288738F,  -0.0648615211F, -0.0934743509F, -0.106097355F,
                    -0.104756549F,  -0.0944033563F, -0.0802533776F, -0.0660687387F,
                    -0.0537645258F, -0.0438648947F, -0.0361644067F, -0.0302190613F,
                    -0.025594566F,  -0.0219468903F, -0.0190248117F, -0.0166493002F};
  constexpr V c0 = {1.12252963F,  1.07764506F,  0.997185409F, 0.896085799F, 0.789678454F, 0.689578235F,
                    0.602119207F, 0.529061377F, 0.469339281F, 0.420722961F, 0.380874157F, 0.347809434F,
                    0.319996834F, 0.296295762F, 0.275861979F, 0.258064508F};
  V p = __builtin_shuffle(c5, i);
  p = p * t + __builtin_shuffle(c4, i);
  p = p * t + __builtin_shuffle(c3, i);
  p = p * t + __builtin_shuffle(c2, i);
  p = p * t + __builtin_shuffle(c1, i);
  p = p * t + __builtin_shuffle(c0, i);
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
