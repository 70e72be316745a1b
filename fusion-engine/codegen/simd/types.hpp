// SPDX-License-Identifier: Apache-2.0
// Vector types of generated kernels and of the eager ones. This and the other headers of the directory
// include nothing but one another: put one behind the other they are the preamble in front of generated code
// (codegen/generate.hpp).
//
// GCC vector extensions, any -march: operations wider than the target's registers are split by the compiler.
// In registers an element is f32, f64, i32 or i64; a bool is a mask, i32xL of 0 or -1, also beside 8-byte
// elements. Narrow floats are computed in f32. `L` is the number of lanes, the same for all types of a
// kernel. Not for -ffast-math: rounding by a large constant and NaN tests rely on IEEE 754.
//
// Errors of the math functions, in units in the last place, over all operands with a normal result (subnormal
// results are right to a few units of the smallest number): exp, expm1, log, log1p, sin, cos, tanh, sigmoid
// and erf at most 4, pow at most 16; simd_preamble_test.cpp measures them.
#pragma once

// __builtin_shufflevector and vector conditions came to g++ with 12; clang before 19 is not tested.
#if defined(__clang__)
#if __clang_major__ < 19
#error this compiler is too old for generated kernels: they need clang 19 or g++ 12, or a later one
#endif
#elif !defined(__GNUC__) || __GNUC__ < 12
#error this compiler is too old for generated kernels: they need g++ 12 or clang 19, or a later one
#endif

// All is inlined, no vector crosses a call. For the rest of the file: templates are instantiated at its end.
#pragma GCC diagnostic ignored "-Wpsabi"
#define FORETELL_SIMD inline __attribute__((always_inline))

// The eager kernels compile this text for several targets into one program: each gets its own names.
#if defined(__AVX512DQ__)
#define FORETELL_SIMD_TARGET avx512
#elif defined(__AVX2__)
#define FORETELL_SIMD_TARGET avx2
#else
#define FORETELL_SIMD_TARGET baseline
#endif

namespace foretell_simd {
inline namespace FORETELL_SIMD_TARGET {

template <class T, int L>
struct VectorOf {
  typedef T type __attribute__((vector_size(sizeof(T) * L)));
};
template <class T, int L>
using vec = typename VectorOf<T, L>::type;

using f32x2 = vec<float, 2>;
using f32x4 = vec<float, 4>;
using f32x8 = vec<float, 8>;
using f32x16 = vec<float, 16>;
using f64x2 = vec<double, 2>;
using f64x4 = vec<double, 4>;
using f64x8 = vec<double, 8>;
using f64x16 = vec<double, 16>;
using i32x2 = vec<int, 2>;
using i32x4 = vec<int, 4>;
using i32x8 = vec<int, 8>;
using i32x16 = vec<int, 16>;
using i64x2 = vec<long, 2>;
using i64x4 = vec<long, 4>;
using i64x8 = vec<long, 8>;
using i64x16 = vec<long, 16>;

// Elements in memory; float, double, int and long are themselves.
enum class bf16 : unsigned short {};
enum class f16 : unsigned short {};
enum class bool8 : unsigned char {};  // 0 or 1

template <class T>
struct Plain {
  typedef T type;
};
template <class T>
struct Plain<T&> {
  typedef T type;
};
template <class T>
struct Plain<T&&> {
  typedef T type;
};
template <class V>
using element = typename Plain<decltype(V{}[0])>::type;
template <class V>
inline constexpr int lanes = static_cast<int>(sizeof(V) / sizeof(element<V>));
// The vector of T with as many lanes as V.
template <class T, class V>
using like = vec<T, lanes<V>>;
template <class V>
inline constexpr bool is_float = __is_same(element<V>, float) || __is_same(element<V>, double);
template <class V>
inline constexpr bool is_f64 = __is_same(element<V>, double);

// Unsigned and signed integers as wide as V's elements; the latter is what comparing two V gives.
template <int Bytes>
struct IntOf {
  typedef int s;
  typedef unsigned u;
};
template <>
struct IntOf<8> {
  typedef long s;
  typedef unsigned long u;
};
template <class V>
using ints = like<typename IntOf<sizeof(element<V>)>::s, V>;
template <class V>
using bits_of = like<typename IntOf<sizeof(element<V>)>::u, V>;
template <class V>
using mask = like<int, V>;

template <int... I>
struct Lanes {};
#if defined(__clang__)
template <class T, T... I>
struct Sequence {
  typedef Lanes<I...> type;
};
template <int L>
using lane_list = typename __make_integer_seq<Sequence, int, L>::type;
#else
template <int L>
using lane_list = Lanes<__integer_pack(L)...>;
#endif

template <class V>
FORETELL_SIMD V splat(element<V> x) {
  return x - V{};  // not x + V{}: that loses the sign of -0
}

template <class V, int... I>
FORETELL_SIMD V counting(Lanes<I...>) {
  return V{static_cast<element<V>>(I)...};
}
// start, start + 1, ...
template <class V>
FORETELL_SIMD V iota(element<V> start) {
  return splat<V>(start) + counting<V>(lane_list<lanes<V>>{});
}

// Lanewise a where m is true, else b. m: what comparing two V gives, or a mask.
template <class M, class V>
FORETELL_SIMD V select(M m, V a, V b) {
  if constexpr (sizeof(element<M>) == sizeof(element<V>)) {
    return (m != 0) ? a : b;
  } else {
    return (__builtin_convertvector(m, ints<V>) != 0) ? a : b;
  }
}
template <class V>
FORETELL_SIMD mask<V> to_mask(ints<V> m) {
  if constexpr (sizeof(element<V>) == 4) {
    return m;
  } else {
    return __builtin_convertvector(m, mask<V>);
  }
}

// The half of the lanes from First on.
template <int First, class V, int... I>
FORETELL_SIMD vec<element<V>, lanes<V> / 2> half(V v, Lanes<I...>) {
  return __builtin_shufflevector(v, v, (First + I)...);
}
template <class V>
FORETELL_SIMD auto low_half(V v) {
  return half<0>(v, lane_list<lanes<V> / 2>{});
}
template <class V>
FORETELL_SIMD auto high_half(V v) {
  return half<lanes<V> / 2>(v, lane_list<lanes<V> / 2>{});
}
template <class H, int... I>
FORETELL_SIMD vec<element<H>, 2 * lanes<H>> join_lanes(H low, H high, Lanes<I...>) {
  return __builtin_shufflevector(low, high, I...);
}
template <class H>
FORETELL_SIMD auto join(H low, H high) {
  return join_lanes(low, high, lane_list<2 * lanes<H>>{});
}

}  // namespace FORETELL_SIMD_TARGET
}  // namespace foretell_simd
