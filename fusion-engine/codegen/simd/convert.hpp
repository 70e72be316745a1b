// SPDX-License-Identifier: Apache-2.0
// Conversions between element types, and between elements in memory and in registers.
#pragma once

#include "fusion-engine/codegen/simd/types.hpp"

namespace foretell_simd {
inline namespace FORETELL_SIMD_TARGET {

template <class V>  // V: f32xL
FORETELL_SIMD like<unsigned short, V> bf16_bits(V v) {
  using U = bits_of<V>;
  const U u = (U)v;
  const U rounded = (u + 0x7FFFU + ((u >> 16) & 1U)) >> 16;
  const U quiet_nan = (u >> 16) | 0x40U;
  return __builtin_convertvector((v == v) ? rounded : quiet_nan, like<unsigned short, V>);
}
template <class V>
FORETELL_SIMD V from_bf16_bits(like<unsigned short, V> h) {
  return (V)(__builtin_convertvector(h, bits_of<V>) << 16);
}

#if defined(__F16C__)
#if defined(__clang__)
template <class V>
FORETELL_SIMD like<unsigned short, V> f16_bits(V v) {
  return (like<unsigned short, V>)__builtin_convertvector(v, like<_Float16, V>);
}
template <class V>
FORETELL_SIMD V from_f16_bits(like<unsigned short, V> h) {
  return __builtin_convertvector((like<_Float16, V>)h, V);
}
#else
template <class V>
FORETELL_SIMD like<unsigned short, V> f16_bits(V v) {
  using H = like<unsigned short, V>;
  if constexpr (lanes<V> == 8) {
    return (H)__builtin_ia32_vcvtps2ph256(v, 4);  // 4: rounds as the control register says, to nearest even
  } else if constexpr (lanes<V> < 8) {
    return low_half(f16_bits(join(v, v)));
  } else {
    return join(f16_bits(low_half(v)), f16_bits(high_half(v)));
  }
}
template <class V>
FORETELL_SIMD V from_f16_bits(like<unsigned short, V> h) {
  if constexpr (lanes<V> == 8) {
    return __builtin_ia32_vcvtph2ps256((vec<short, 8>)h);
  } else if constexpr (lanes<V> < 8) {
    return low_half(from_f16_bits<vec<float, 2 * lanes<V>>>(join(h, h)));
  } else {
    using Half = vec<float, lanes<V> / 2>;
    return join(from_f16_bits<Half>(low_half(h)), from_f16_bits<Half>(high_half(h)));
  }
}
#endif
#else
// On the bits: f16 keeps 5 bits of exponent (bias 15, f32's is 127) and 10 of the significand (of 23).
template <class V>
FORETELL_SIMD like<unsigned short, V> f16_bits(V v) {
  using U = bits_of<V>;
  const U u = (U)v;
  const U magnitude = u & 0x7FFFFFFFU;
  const U normal = (magnitude - (112U << 23) + 0xFFFU + ((magnitude >> 13) & 1U)) >> 13;
  const U shift_in =
      splat<U>(126U << 23);  // 0.5f: its last place is f16's smallest subnormal, so adding rounds
  const U subnormal = (U)((V)magnitude + (V)shift_in) - shift_in;
  U h = magnitude < (113U << 23) ? subnormal : normal;
  h = magnitude >= 0x477FF000U ? splat<U>(0x7C00U) : h;  // 65520 and above round to inf
  h = magnitude > 0x7F800000U ? (((magnitude >> 13) & 0x3FFU) | splat<U>(0x7E00U)) : h;  // NaN
  return __builtin_convertvector(h | ((u >> 16) & 0x8000U), like<unsigned short, V>);
}
template <class V>
FORETELL_SIMD V from_f16_bits(like<unsigned short, V> h) {
  using U = bits_of<V>;
  const U u = __builtin_convertvector(h, U);
  const U scaled = (U)((V)((u & 0x7FFFU) << 13) * 0x1p112F);
  const U special = (u & 0x7C00U) == 0x7C00U ? (scaled | splat<U>(0x7F800000U)) : scaled;
  return (V)(special | ((u & 0x8000U) << 16));
}
#endif

template <class V>
FORETELL_SIMD V round_bf16(V v) {
  return from_bf16_bits<V>(bf16_bits(v));
}
template <class V>
FORETELL_SIMD V round_f16(V v) {
  return from_f16_bits<V>(f16_bits(v));
}

template <class V, class T>
FORETELL_SIMD auto to_memory(V v) {  // the vector of elements that lies in memory
  if constexpr (__is_same(T, bf16)) {
    return bf16_bits(v);
  } else if constexpr (__is_same(T, f16)) {
    return f16_bits(v);
  } else if constexpr (__is_same(T, bool8)) {
    return __builtin_convertvector(v & 1, like<unsigned char, V>);
  } else {
    static_assert(__is_same(T, element<V>));
    return v;
  }
}
template <class T>
struct MemoryElement {
  typedef T type;
};
template <>
struct MemoryElement<bf16> {
  typedef unsigned short type;
};
template <>
struct MemoryElement<f16> {
  typedef unsigned short type;
};
template <>
struct MemoryElement<bool8> {
  typedef unsigned char type;
};
template <class V, class T>
using memory_vector = like<typename MemoryElement<T>::type, V>;
template <class V, class T>
FORETELL_SIMD V from_memory(memory_vector<V, T> m) {
  if constexpr (__is_same(T, bf16)) {
    return from_bf16_bits<V>(m);
  } else if constexpr (__is_same(T, f16)) {
    return from_f16_bits<V>(m);
  } else if constexpr (__is_same(T, bool8)) {
    return 0 - __builtin_convertvector(m, V);
  } else {
    static_assert(__is_same(T, element<V>));
    return m;
  }
}

// Between f32, f64, i32 and i64: floats to integers towards zero, saturating, NaN to 0; i64 to i32 wraps.
template <class To, class V>
FORETELL_SIMD To convert(V v) {
  if constexpr (__is_same(To, V)) {
    return v;
  } else if constexpr (is_float<V> && !is_float<To>) {
    using E = element<V>;
    constexpr int bits = 8 * static_cast<int>(sizeof(element<To>)) - 1;
    constexpr E limit = bits == 31 ? static_cast<E>(0x1p31) : static_cast<E>(0x1p63);
    const V number = v == v ? v : V{};
    const V from_below = number < -limit ? splat<V>(-limit) : number;
    const auto above = from_below >= limit;
    const To in_range = __builtin_convertvector(above ? V{} : from_below, To);
    constexpr element<To> largest = static_cast<element<To>>(~(1UL << 63) >> (63 - bits));
    return select(to_mask<V>(above), splat<To>(largest), in_range);
  } else {
    return __builtin_convertvector(v, To);
  }
}
// Masks: 0 or 1 as a number, and not equal to 0.
template <class V, class M>
FORETELL_SIMD V from_bool(M m) {
  return __builtin_convertvector(m & 1, V);
}
template <class V>
FORETELL_SIMD mask<V> to_bool(V v) {
  return to_mask<V>(v != V{});
}

}  // namespace FORETELL_SIMD_TARGET
}  // namespace foretell_simd
