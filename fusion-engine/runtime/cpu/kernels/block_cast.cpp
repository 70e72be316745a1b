// SPDX-License-Identifier: Apache-2.0
// Casts between all element types, and the streaming copy.
#include "fusion-engine/codegen/simd/arithmetic.hpp"
#include "fusion-engine/codegen/simd/convert.hpp"
#include "fusion-engine/codegen/simd/memory.hpp"
#include "fusion-engine/runtime/cpu/kernels/block_tables.hpp"

namespace foretell::runtime::cpu::kernels::FORETELL_ISA {

namespace {

using simd::bf16, simd::f16, simd::bool8;

// What an element is in a register.
template <class T>
struct Computed {
  typedef T type;
};
template <>
struct Computed<bf16> {
  typedef float type;
};
template <>
struct Computed<f16> {
  typedef float type;
};
template <>
struct Computed<bool8> {
  typedef int type;
};

// To f32, such that rounding further to fewer than 23 bits gives what rounding x at once would: towards zero,
// the last bit set if anything was cut off ("round to odd": Boldo and Melquiond, 2008).
template <class X>
inline __attribute__((always_inline)) auto to_odd_f32(X x) {
  using F = simd::like<float, X>;
  using I = simd::like<int, X>;
  const F nearest = simd::convert<F>(x);
  const X back = simd::convert<X>(nearest);
  const I away = simd::to_mask<X>(simd::abs(back) > simd::abs(x));
  const I inexact = simd::to_mask<X>(back != x) & simd::to_mask<X>(x == x);
  return (F)(((I)nearest + away) | (inexact & 1));
}

template <class From, class To>
void cast(const void* in, void* out, long n) {
  using C = typename Computed<From>::type;
  using D = typename Computed<To>::type;
  constexpr int lanes = kVectorBytes / static_cast<int>(sizeof(C) > sizeof(D) ? sizeof(C) : sizeof(D));
  using X = simd::vec<C, lanes>;
  using Y = simd::vec<D, lanes>;
  const auto* from = static_cast<const From*>(in);
  auto* to = static_cast<To*>(out);
  const auto convert = [](X x) __attribute__((always_inline)) {
    if constexpr (__is_same(To, bool8)) {
      return simd::to_bool(x);
    } else if constexpr (__is_same(From, bool8)) {
      return simd::from_bool<Y>(x);
    } else if constexpr ((__is_same(To, bf16) || __is_same(To, f16)) && !__is_same(C, float)) {
      return to_odd_f32(simd::convert<simd::like<double, X>>(x));
    } else {
      return simd::convert<Y>(x);
    }
  };
  for_vectors<lanes>(
      n,
      [&](long i) __attribute__((always_inline)) { simd::store(to + i, convert(simd::load<X>(from + i))); },
      [&](long i, long rest) __attribute__((always_inline)) {
        simd::store_part(to + i, convert(simd::load_part<X>(from + i, rest)), rest);
      });
}

template <class From>
void fill_from(CastFunction (&to)[kElements], Element from) {
  to[static_cast<int>(Element::F32)] = cast<From, float>;
  to[static_cast<int>(Element::F64)] = cast<From, double>;
  to[static_cast<int>(Element::BF16)] = cast<From, bf16>;
  to[static_cast<int>(Element::F16)] = cast<From, f16>;
  to[static_cast<int>(Element::I32)] = cast<From, int>;
  to[static_cast<int>(Element::I64)] = cast<From, long>;
  to[static_cast<int>(Element::Bool)] = cast<From, bool8>;
  to[static_cast<int>(from)] = nullptr;
}

constexpr long kCacheLine = 64;

void stream_copy(void* to, const void* from, long bytes, const NextRead& next) {
  using V = Vector<float>;
  auto* out = static_cast<char*>(to);
  const auto* in = static_cast<const char*>(from);
  // Up to the first aligned address, whole vectors, the rest.
  const long misaligned = static_cast<long>(reinterpret_cast<unsigned long>(to) % sizeof(V));
  long head = misaligned == 0 ? 0 : kVectorBytes - misaligned;
  head = head < bytes ? head : bytes;
  __builtin_memcpy(out, in, static_cast<unsigned long>(head));
  long i = head;
  // In pieces of a few lines, each with its share of what comes next.
  constexpr long kPieces = 16;
  const long piece = bytes / kPieces / kVectorBytes * kVectorBytes;
  long fetched = 0;
  for (long k = 1; k <= kPieces; ++k) {
    for (const long stop = next.bytes * k / kPieces; fetched < stop; fetched += kCacheLine) {
      __builtin_prefetch(static_cast<const char*>(next.data) + fetched);
    }
    for (const long stop = k == kPieces ? bytes : head + piece * k; i + kVectorBytes <= stop;
         i += kVectorBytes) {
      V v;
      __builtin_memcpy(&v, in + i, sizeof(v));
      simd::stream_bits(out + i, v);
    }
  }
  __builtin_memcpy(out + i, in + i, static_cast<unsigned long>(bytes - i));
}

void stream_fence() { simd::stream_fence(); }

}  // namespace

void fill_casts(Isa& isa) {
  const auto from = [&](Element type) -> CastFunction(&)[kElements] {
    return isa.cast[static_cast<int>(type)];
  };
  fill_from<float>(from(Element::F32), Element::F32);
  fill_from<double>(from(Element::F64), Element::F64);
  fill_from<bf16>(from(Element::BF16), Element::BF16);
  fill_from<f16>(from(Element::F16), Element::F16);
  fill_from<int>(from(Element::I32), Element::I32);
  fill_from<long>(from(Element::I64), Element::I64);
  fill_from<bool8>(from(Element::Bool), Element::Bool);
  isa.stream_copy = stream_copy;
  isa.stream_fence = stream_fence;
}

}  // namespace foretell::runtime::cpu::kernels::FORETELL_ISA
