// SPDX-License-Identifier: Apache-2.0
// Arithmetic, comparisons and logic lane by lane, as the op table means them (ir/op_rows.inc); and across the
// lanes.
#pragma once

#include "fusion-engine/codegen/simd/types.hpp"

namespace foretell_simd {
inline namespace FORETELL_SIMD_TARGET {

template <class V>
FORETELL_SIMD V abs(V a) {
  if constexpr (is_float<V>) {
    return (V)((bits_of<V>)a & ~(bits_of<V>)splat<V>(static_cast<element<V>>(-0.0)));
  } else {
    return a < 0 ? (V)(bits_of<V>{} - (bits_of<V>)a) : a;
  }
}
// a with the sign of b; a's own sign bit is clear or the same. (A selection of bits by a constant mask under
// a comparison, which the general form is, clang 19 gets wrong for AVX-512 where b was widened from bf16.)
template <class V>
FORETELL_SIMD V with_sign(V a, V b) {
  const auto sign_bit = (bits_of<V>)splat<V>(static_cast<element<V>>(-0.0));
  return (V)((bits_of<V>)a | ((bits_of<V>)b & sign_bit));
}
template <class V>  // zeros and NaN stay as they are
FORETELL_SIMD V sign(V a) {
  using E = element<V>;
  return a > 0 ? splat<V>(E(1)) : (a < 0 ? splat<V>(E(-1)) : a);
}
// a > b ? a : b, and so b if either is NaN or both are zeros: what one instruction of x86 does. g++ 12 finds
// it for vectors of 32 bytes, and takes a comparison and a selection for those of 64.
template <class V>
FORETELL_SIMD V larger(V a, V b) {
#if defined(__AVX512F__) && !defined(__clang__)
  if constexpr (is_float<V> && sizeof(V) == 64) {
    if constexpr (is_f64<V>) {
      return __builtin_ia32_maxpd512_mask(a, b, a, -1, 4);  // 4: rounds as the control register says
    } else {
      return __builtin_ia32_maxps512_mask(a, b, a, -1, 4);
    }
  }
#endif
  return a > b ? a : b;
}
template <class V>
FORETELL_SIMD V smaller(V a, V b) {
#if defined(__AVX512F__) && !defined(__clang__)
  if constexpr (is_float<V> && sizeof(V) == 64) {
    if constexpr (is_f64<V>) {
      return __builtin_ia32_minpd512_mask(a, b, a, -1, 4);
    } else {
      return __builtin_ia32_minps512_mask(a, b, a, -1, 4);
    }
  }
#endif
  return a < b ? a : b;
}
template <class V>
FORETELL_SIMD V relu(V a) {
  return larger(V{}, a);
}
template <class V>
FORETELL_SIMD V where_positive(V a, V b) {
  return a > V{} ? b : V{};
}
template <class V>
FORETELL_SIMD V maximum(V a, V b) {
  const V c = larger(a, b);
  return is_float<V> ? (a == a ? c : a) : c;
}
template <class V>
FORETELL_SIMD V minimum(V a, V b) {
  const V c = smaller(a, b);
  return is_float<V> ? (a == a ? c : a) : c;
}

template <class V>
FORETELL_SIMD mask<V> equal(V a, V b) {
  return to_mask<V>(a == b);
}
template <class V>
FORETELL_SIMD mask<V> not_equal(V a, V b) {
  return to_mask<V>(a != b);
}
template <class V>
FORETELL_SIMD mask<V> less(V a, V b) {
  return to_mask<V>(a < b);
}
template <class V>
FORETELL_SIMD mask<V> less_equal(V a, V b) {
  return to_mask<V>(a <= b);
}
template <class M>
FORETELL_SIMD M logical_not(M a) {
  return a == 0;
}
template <class M>
FORETELL_SIMD M logical_and(M a, M b) {
  return a & b;
}
template <class M>
FORETELL_SIMD M logical_or(M a, M b) {
  return a | b;
}
template <class M>
FORETELL_SIMD M logical_xor(M a, M b) {
  return a ^ b;
}

template <class V>
FORETELL_SIMD V divide_lanes(V a, V b) {
  V q = {};
  for (int i = 0; i < lanes<V>; ++i) {
    q[i] = a[i] / b[i];
  }
  return q;
}
template <class V>  // integers: towards zero, x / 0 = 0, the smallest by -1 is itself
FORETELL_SIMD V divide(V a, V b) {
  if constexpr (is_float<V>) {
    return a / b;
  } else if constexpr (sizeof(element<V>) == 4) {
    // A double holds every quotient of two 32-bit integers closely enough to truncate it right; 2^31 wraps in
    // 64 bits.
    using D = like<double, V>;
    const D safe = __builtin_convertvector(b == 0 ? splat<V>(1) : b, D);
    const D q = __builtin_convertvector(a, D) / safe;
    const V wrapped = __builtin_convertvector(q >= 0x1p31 ? splat<D>(-0x1p31) : q, V);
    return b == 0 ? V{} : wrapped;
  } else {
    const V safe = ((b == 0) | (b == -1)) ? splat<V>(1) : b;
    const V q = divide_lanes(a, safe);
    const V negated = (V)(bits_of<V>{} - (bits_of<V>)a);
    return b == 0 ? V{} : (b == -1 ? negated : q);
  }
}
template <class V>
FORETELL_SIMD V reciprocal(V a) {
  return 1 / a;
}

template <class V>
FORETELL_SIMD V sqrt(V a) {
#if defined(__clang__)
  return __builtin_elementwise_sqrt(a);
#elif defined(__x86_64__)
  constexpr bool wide = is_f64<V>;
#if defined(__AVX512F__)
  if constexpr (sizeof(V) == 64) {
    if constexpr (wide) {
      return __builtin_ia32_sqrtpd512_mask(a, a, -1, 4);  // 4: rounds as the control register says
    } else {
      return __builtin_ia32_sqrtps512_mask(a, a, -1, 4);
    }
  } else
#endif
#if defined(__AVX__)
      if constexpr (sizeof(V) == 32) {
    if constexpr (wide) {
      return __builtin_ia32_sqrtpd256(a);
    } else {
      return __builtin_ia32_sqrtps256(a);
    }
  } else
#endif
      if constexpr (sizeof(V) == 16) {
    if constexpr (wide) {
      return __builtin_ia32_sqrtpd(a);
    } else {
      return __builtin_ia32_sqrtps(a);
    }
  } else if constexpr (sizeof(V) < 16) {
    return low_half(sqrt(join(a, a)));
  } else {
    return join(sqrt(low_half(a)), sqrt(high_half(a)));
  }
#else
  for (int i = 0; i < lanes<V>; ++i) {
    a[i] = static_cast<element<V>>(__builtin_sqrt(static_cast<double>(a[i])));
  }
  return a;
#endif
}
template <class V>
FORETELL_SIMD V rsqrt(V a) {
  return 1 / sqrt(a);
}

template <class V>  // a * b + c, rounded once
FORETELL_SIMD V fma(V a, V b, V c) {
#if defined(__clang__)
  return __builtin_elementwise_fma(a, b, c);
#else
#if defined(__AVX512F__)
  if constexpr (sizeof(V) == 64) {
    if constexpr (is_f64<V>) {
      return __builtin_ia32_vfmaddpd512_mask(a, b, c, -1, 4);
    } else {
      return __builtin_ia32_vfmaddps512_mask(a, b, c, -1, 4);
    }
  }
#endif
#if defined(__FMA__)
  if constexpr (sizeof(V) == 32) {
    if constexpr (is_f64<V>) {
      return __builtin_ia32_vfmaddpd256(a, b, c);
    } else {
      return __builtin_ia32_vfmaddps256(a, b, c);
    }
  } else if constexpr (sizeof(V) == 16) {
    if constexpr (is_f64<V>) {
      return __builtin_ia32_vfmaddpd(a, b, c);
    } else {
      return __builtin_ia32_vfmaddps(a, b, c);
    }
  } else if constexpr (sizeof(V) > 16) {
    return join(fma(low_half(a), low_half(b), low_half(c)), fma(high_half(a), high_half(b), high_half(c)));
  }
#endif
  for (int i = 0; i < lanes<V>; ++i) {
    if constexpr (is_f64<V>) {
      a[i] = __builtin_fma(a[i], b[i], c[i]);
    } else {
      a[i] = __builtin_fmaf(a[i], b[i], c[i]);
    }
  }
  return a;
#endif
}

// To an integer, ties to even: at 2^23 (2^52) and above a float has no fraction, so adding that much rounds
// it away.
template <class V>
FORETELL_SIMD V round(V a) {
  const V big = splat<V>(static_cast<element<V>>(is_f64<V> ? 0x1p52 : 0x1p23));
  const V magnitude = abs(a);
  const V rounded = with_sign((magnitude + big) - big, a);
  return magnitude < big ? rounded : a;
}
template <class V>
FORETELL_SIMD V floor(V a) {
  const V r = round(a);
  return r > a ? r - 1 : r;
}
template <class V>
FORETELL_SIMD V ceil(V a) {
  const V r = round(a);
  return with_sign(r < a ? r + 1 : r, a);
}

// Across lanes: halves, then quarters, ..., so the order of operations is fixed.

template <class V>
FORETELL_SIMD element<V> reduce_add(V v) {
  if constexpr (lanes<V> == 2) {
    return v[0] + v[1];
  } else {
    return reduce_add(low_half(v) + high_half(v));
  }
}
template <class V>  // NaN if any lane is
FORETELL_SIMD element<V> reduce_max(V v) {
  if constexpr (lanes<V> == 2) {
    return maximum(v, V{v[1], v[0]})[0];
  } else {
    return reduce_max(maximum(low_half(v), high_half(v)));
  }
}
template <class V>
FORETELL_SIMD element<V> reduce_min(V v) {
  if constexpr (lanes<V> == 2) {
    return minimum(v, V{v[1], v[0]})[0];
  } else {
    return reduce_min(minimum(low_half(v), high_half(v)));
  }
}
// The position beside the largest value, the lowest among equals; a NaN counts as larger than all.
template <class V, class I>
FORETELL_SIMD element<I> reduce_argmax(V v, I positions) {
  element<V> best = v[0];
  element<I> at = positions[0];
  for (int i = 1; i < lanes<V>; ++i) {
    const bool larger = v[i] > best || (v[i] != v[i] && best == best);
    const bool equal = v[i] == best || (v[i] != v[i] && best != best);
    const bool better = larger || (equal && positions[i] < at);
    best = better ? v[i] : best;
    at = better ? positions[i] : at;
  }
  return at;
}
template <class M>
FORETELL_SIMD bool any(M m) {
  if constexpr (lanes<M> == 2) {
    return (m[0] | m[1]) != 0;
  } else {
    return any(low_half(m) | high_half(m));
  }
}

}  // namespace FORETELL_SIMD_TARGET
}  // namespace foretell_simd
