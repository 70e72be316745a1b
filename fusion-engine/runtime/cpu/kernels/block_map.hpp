// SPDX-License-Identifier: Apache-2.0
// For the block files: one pass over a row that gives a row, or a sum.
#pragma once

#include "fusion-engine/codegen/simd/arithmetic.hpp"
#include "fusion-engine/codegen/simd/memory.hpp"
#include "fusion-engine/runtime/cpu/kernels/block_fold.hpp"
#include "fusion-engine/runtime/cpu/kernels/block_tables.hpp"

namespace foretell::runtime::cpu::kernels::FORETELL_ISA {

template <class T>
FORETELL_INLINE void put(T* out, Vector<T> v, bool stream) {
  if (stream) {
    simd::stream(out, v);
  } else {
    simd::store(out, v);
  }
}
// out[i] = f(x[i]).
template <class T, class F>
FORETELL_INLINE void map(const T* x, T* out, long n, bool stream, F f) {
  using V = Vector<T>;
  for_vectors<simd::lanes<V>>(
      n, [&](long i) __attribute__((always_inline)) { put(out + i, f(simd::load<V>(x + i)), stream); },
      [&](long i, long rest) __attribute__((always_inline)) {
        simd::store_part(out + i, f(simd::load_part<V>(x + i, rest)), rest);
      });
}
// A whole vector, or as much as there is.
template <class V, class T>
FORETELL_INLINE V load_some(const T* x, long rest) {
  return rest >= simd::lanes<V> ? simd::load<V>(x) : simd::load_part<V>(x, rest);
}
// out[i] = f(x[i], y[i]).
template <class T, class F>
FORETELL_INLINE void map(const T* x, const T* y, T* out, long n, bool stream, F f) {
  using V = Vector<T>;
  for_vectors<simd::lanes<V>>(
      n,
      [&](long i) __attribute__((always_inline)) {
        put(out + i, f(simd::load<V>(x + i), simd::load<V>(y + i)), stream);
      },
      [&](long i, long rest) __attribute__((always_inline)) {
        simd::store_part(out + i, f(simd::load_part<V>(x + i, rest), simd::load_part<V>(y + i, rest)), rest);
      });
}
// The sum of f(x[i], i), two accumulators.
template <class T, class F>
FORETELL_INLINE T sum_map(const T* x, long n, F f) {
  using V = Vector<T>;
  constexpr int lanes = simd::lanes<V>;
  V a = {};
  V b = {};
  long i = 0;
  for (; i + 2 * lanes <= n; i += 2 * lanes) {
    a += f(simd::load<V>(x + i), i);
    b += f(simd::load<V>(x + i + lanes), i + lanes);
  }
  for (; i < n; i += lanes) {
    const long rest = n - i < lanes ? n - i : lanes;
    a += simd::keep_first(f(simd::load_part<V>(x + i, rest), i), rest, T{});
  }
  return simd::reduce_add(a + b);
}

}  // namespace foretell::runtime::cpu::kernels::FORETELL_ISA
