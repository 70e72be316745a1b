// SPDX-License-Identifier: Apache-2.0
// Vector types and functions of generated kernels and of the eager ones. Stands alone, without includes: its
// text is put in front of generated code (hence one file, and a guard instead of `#pragma once`, which is for
// headers only).
//
// GCC vector extensions, g++ 12 and clang 19, any -march: operations wider than the target's registers are
// split by the compiler. In registers an element is f32, f64, i32 or i64; a bool is a mask, i32xL of 0 or -1,
// also beside 8-byte elements. Narrow floats are computed in f32. `L` is the number of lanes, the same for
// all types of a kernel. Not for -ffast-math: rounding by a large constant and NaN tests rely on IEEE 754.
//
// Errors of the math functions, in units in the last place, over all operands with a normal result (subnormal
// results are right to a few units of the smallest number): exp, expm1, log, log1p, sin, cos, tanh, sigmoid,
// erf <= 4, pow
// <= 16 (simd_preamble_test.cpp measures them). sin and cos of an |x| > 1e5, and pow of f64, call libm lane
// by lane.
#ifndef FORETELL_SIMD_PREAMBLE
#define FORETELL_SIMD_PREAMBLE

// All is inlined, no vector crosses a call. For the rest of the file: templates are instantiated at its end.
#pragma GCC diagnostic ignored "-Wpsabi"
#define FORETELL_SIMD inline __attribute__((always_inline))

namespace foretell_simd {

// The eager kernels compile this text for several targets into one program: each gets its own names.
#if defined(__AVX512DQ__)
inline namespace avx512 {
#elif defined(__AVX2__)
inline namespace avx2 {
#else
inline namespace baseline {
#endif

// ---- types
// ----------------------------------------------------------------------------------------------------

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

// ---- conversions
// ----------------------------------------------------------------------------------------------

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

// ---- memory
// ---------------------------------------------------------------------------------------------------

template <class V, class T>
FORETELL_SIMD V load(const T* p) {
  memory_vector<V, T> m;
  __builtin_memcpy(&m, p, sizeof(m));
  return from_memory<V, T>(m);
}
// The first n of the lanes; the others are zero, and nothing beyond p[n - 1] is read.
template <class V, class T>
FORETELL_SIMD V load_part(const T* p, long n) {
  if (n >= lanes<V>) {
    return load<V>(p);
  }
  memory_vector<V, T> m = {};
  char* to = reinterpret_cast<char*>(&m);
  long done = 0;
#pragma GCC unroll 8
  for (int step = lanes<V> / 2; step >= 1; step /= 2) {  // by the bits of n
    if ((n & step) != 0) {
      __builtin_memcpy(to + done * static_cast<long>(sizeof(T)), p + done,
                       static_cast<unsigned long>(step) * sizeof(T));
      done += step;
    }
  }
  return from_memory<V, T>(m);
}
template <class T, class V>
FORETELL_SIMD void store(T* p, V v) {
  const auto m = to_memory<V, T>(v);
  __builtin_memcpy(p, &m, sizeof(m));
}
template <class T, class V>
FORETELL_SIMD void store_part(T* p, V v, long n) {
  const auto m = to_memory<V, T>(v);
  for (long i = 0; i < n; ++i) {
    p[i] = static_cast<T>(m[i]);
  }
}

// Past the caches, where the address is aligned to the vector; n aligned vectors should be followed by a
// fence.
template <class M>
FORETELL_SIMD void stream_bits(void* p, M m) {
  constexpr unsigned long size = sizeof(M);
#if defined(__clang__)
  if constexpr (size >= 16) {
    if (reinterpret_cast<unsigned long>(p) % size == 0) {
      __builtin_nontemporal_store(m, static_cast<M*>(p));
      return;
    }
  }
  __builtin_memcpy(p, &m, size);
#elif defined(__x86_64__)
#if defined(__AVX512F__)
  if constexpr (size == 64) {
    if (reinterpret_cast<unsigned long>(p) % size == 0) {
      __builtin_ia32_movntps512(static_cast<float*>(p), (vec<float, 16>)m);
      return;
    }
  }
#endif
#if defined(__AVX__)
  if constexpr (size == 32) {
    if (reinterpret_cast<unsigned long>(p) % size == 0) {
      __builtin_ia32_movntps256(static_cast<float*>(p), (vec<float, 8>)m);
      return;
    }
  }
#endif
  if constexpr (size > 16) {
    stream_bits(p, low_half(m));
    stream_bits(static_cast<char*>(p) + size / 2, high_half(m));
  } else if (size == 16 && reinterpret_cast<unsigned long>(p) % size == 0) {
    if constexpr (size == 16) {
      __builtin_ia32_movntps(static_cast<float*>(p), (vec<float, 4>)m);
    }
  } else {
    __builtin_memcpy(p, &m, size);
  }
#else
  __builtin_memcpy(p, &m, size);
#endif
}
template <class T, class V>
FORETELL_SIMD void stream(T* p, V v) {
  stream_bits(p, to_memory<V, T>(v));
}
// Orders streaming stores before what follows: once, at the end of a unit of work.
FORETELL_SIMD void stream_fence() {
#if defined(__x86_64__)
  __builtin_ia32_sfence();
#endif
}

// *p in all lanes.
template <class V, class T>
FORETELL_SIMD V load_splat(const T* p) {
  using M = memory_vector<V, T>;
  return from_memory<V, T>(splat<M>(static_cast<element<M>>(*p)));
}
template <class V, class T, int... I>
FORETELL_SIMD V gather_lanes(const T* p, long stride, Lanes<I...>) {
  using M = memory_vector<V, T>;
  return from_memory<V, T>(M{static_cast<element<M>>(p[I * stride])...});
}
// p[0], p[stride], p[2 stride], ...
template <class V, class T>
FORETELL_SIMD V gather_strided(const T* p, long stride) {
  return gather_lanes<V>(p, stride, lane_list<lanes<V>>{});
}
// The first n of them; the other lanes are zero.
template <class V, class T>
FORETELL_SIMD V gather_strided(const T* p, long stride, long n) {
  memory_vector<V, T> m = {};
  for (long i = 0; i < n; ++i) {
    m[i] = static_cast<typename MemoryElement<T>::type>(p[i * stride]);
  }
  return from_memory<V, T>(m);
}

// The first n lanes of v, `fill` in the others.
template <class V>
FORETELL_SIMD V keep_first(V v, long n, element<V> fill) {
  using I = ints<V>;
  return iota<I>(0) < splat<I>(static_cast<element<I>>(n)) ? v : splat<V>(fill);
}
// The first n lanes of v, those of `others` behind them.
template <class V>
FORETELL_SIMD V keep_first(V v, long n, V others) {
  using I = ints<V>;
  return iota<I>(0) < splat<I>(static_cast<element<I>>(n)) ? v : others;
}

// ---- arithmetic
// -----------------------------------------------------------------------------------------------

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
template <class V>
FORETELL_SIMD V relu(V a) {
  return a < 0 ? V{} : a;
}
template <class V>
FORETELL_SIMD V maximum(V a, V b) {
  if constexpr (is_float<V>) {
    const V larger = a > b ? a : b;  // b if either is NaN
    return a == a ? larger : a;
  } else {
    return a > b ? a : b;
  }
}
template <class V>
FORETELL_SIMD V minimum(V a, V b) {
  if constexpr (is_float<V>) {
    const V smaller = a < b ? a : b;
    return a == a ? smaller : a;
  } else {
    return a < b ? a : b;
  }
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

// ---- across lanes: halves, then quarters, ..., so the order of operations is fixed
// ------------------------------

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

// ---- math
// -----------------------------------------------------------------------------------------------------
// Polynomials are near-minimax in relative error, by Remez exchange in 50 digits; the comment gives interval
// and error.

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
  const V above = x < static_cast<E>(low) ? splat<V>(static_cast<E>(low)) : x;
  return above > static_cast<E>(high) ? splat<V>(static_cast<E>(high)) : above;
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

// x = q pi/2 + r, |r| <= pi/4; pi/2 as a sum of doubles of 33, 33 and 53 bits: products with q < 2^20 are
// exact. Also f32 is reduced in f64. For |x| <= kLargestAngle.
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
template <class V>
FORETELL_SIMD V sin(V x) {
  const auto regular = abs(x) <= static_cast<element<V>>(kLargestAngle);
  const Quadrant<V> a = reduce_angle(regular ? x : V{});
  V result = sin_quadrant(a.r, a.q);
  if (__builtin_expect(any(~regular), 0)) {
    for (int i = 0; i < lanes<V>; ++i) {
      if (!regular[i]) {
        result[i] = static_cast<element<V>>(is_f64<V> ? __builtin_sin(x[i])
                                                      : __builtin_sinf(static_cast<float>(x[i])));
      }
    }
  }
  return result;
}
template <class V>
FORETELL_SIMD V cos(V x) {
  const auto regular = abs(x) <= static_cast<element<V>>(kLargestAngle);
  const Quadrant<V> a = reduce_angle(regular ? x : V{});
  V result = sin_quadrant(a.r, a.q + 1U);
  if (__builtin_expect(any(~regular), 0)) {
    for (int i = 0; i < lanes<V>; ++i) {
      if (!regular[i]) {
        result[i] = static_cast<element<V>>(is_f64<V> ? __builtin_cos(x[i])
                                                      : __builtin_cosf(static_cast<float>(x[i])));
      }
    }
  }
  return result;
}

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

// ---- random numbers: Philox4x32-10, as ir/philox.hpp
// ------------------------------------------------------------

// Products of the low 32 bits of each lane.
template <class U>
FORETELL_SIMD U multiply_low(U a, U b) {
#if !defined(__clang__) && defined(__x86_64__)
#if defined(__AVX512F__)
  if constexpr (sizeof(U) == 64) {
    return (U)__builtin_ia32_pmuludq512_mask((vec<int, 16>)a, (vec<int, 16>)b, (vec<long long, 8>)a, 0xFF);
  } else
#endif
#if defined(__AVX2__)
      if constexpr (sizeof(U) == 32) {
    return (U)__builtin_ia32_pmuludq256((vec<int, 8>)a, (vec<int, 8>)b);
  } else
#endif
      if constexpr (sizeof(U) == 16) {
    return (U)__builtin_ia32_pmuludq128((vec<int, 4>)a, (vec<int, 4>)b);
  } else {
    return join(multiply_low(low_half(a), low_half(b)), multiply_low(high_half(a), high_half(b)));
  }
#else
  return (a & 0xFFFFFFFFU) * (b & 0xFFFFFFFFU);
#endif
}
template <class U, int... I>
FORETELL_SIMD U swap_pairs(U a, Lanes<I...>) {
  return __builtin_shufflevector(a, a, (I ^ 1)...);
}
// Words of the blocks first / 4, first / 4 + 1, ...; first is a multiple of 4. A block's counter words c0..c3
// lie in two 64-bit lanes: x = c0, c2 and y = c1, c3.
template <int L>
FORETELL_SIMD vec<unsigned, L> philox_words(unsigned long seed, unsigned long counter, unsigned long first) {
  using U = vec<unsigned long, L / 2>;
  const U lane = counting<U>(lane_list<L / 2>{});
  const auto even = (lane & 1U) == 0U;
  const U block = splat<U>(first / 4) + (lane >> 1);
  const U low = even ? block : splat<U>(counter);
  const U key_step = even ? splat<U>(0x9E3779B9U) : splat<U>(0xBB67AE85U);
  const U factor = even ? splat<U>(0xD2511F53U) : splat<U>(0xCD9E8D57U);
  U key = even ? splat<U>(seed & 0xFFFFFFFFU) : splat<U>(seed >> 32);
  U x = low & 0xFFFFFFFFU;
  U y = low >> 32;
#pragma GCC unroll 10
  for (int round_index = 0; round_index < 10; ++round_index) {
    const U product = swap_pairs(multiply_low(x, factor), lane_list<L / 2>{});
    x = (product >> 32) ^ y ^ key;
    y = product & 0xFFFFFFFFU;
    key = (key + key_step) & 0xFFFFFFFFU;
  }
  return (vec<unsigned, L>)(x | (y << 32));
}
// Elements first, first + 1, ... of random_uniform(seed, counter). Twice as fast where first is a multiple
// of 4.
template <class V>
FORETELL_SIMD V random_uniform(unsigned long seed, unsigned long counter, unsigned long first) {
  constexpr int L = lanes<V> < 4 ? 4 : lanes<V>;
  using F = like<float, V>;
  unsigned words[2 * L];
  const unsigned long aligned = first & ~3UL;
  vec<unsigned, L> w = philox_words<L>(seed, counter, aligned);
  if (aligned != first || L != lanes<V>) {
    const vec<unsigned, L> next = philox_words<L>(seed, counter, aligned + L);
    __builtin_memcpy(words, &w, sizeof(w));
    __builtin_memcpy(words + L, &next, sizeof(next));
    __builtin_memcpy(&w, words + (first - aligned), sizeof(w));
  }
  like<int, V> top;
  const vec<unsigned, L> shifted = w >> 8;
  __builtin_memcpy(&top, &shifted, sizeof(top));
  return convert<V>(__builtin_convertvector(top, F) * 0x1p-24F);
}

}  // namespace (target)
}  // namespace foretell_simd

#undef FORETELL_SIMD
#endif  // FORETELL_SIMD_PREAMBLE
