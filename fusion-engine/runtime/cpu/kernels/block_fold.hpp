// SPDX-License-Identifier: Apache-2.0
// For the block files: a block as one value, with four accumulators of a vector each, which are added in a
// fixed order.
#pragma once

#include "fusion-engine/codegen/simd/arithmetic.hpp"
#include "fusion-engine/codegen/simd/memory.hpp"
#include "fusion-engine/runtime/cpu/kernels/block_tables.hpp"

#define FORETELL_INLINE inline __attribute__((always_inline))

namespace foretell::runtime::cpu::kernels::FORETELL_ISA {

// Folds term(vector) over x with `op`; the rest is filled with `fill`, which leaves the result as it is.
template <class T, class Term, class Op>
FORETELL_INLINE Vector<T> fold(const T* x, long n, T fill, Term term, Op op) {
  using V = Vector<T>;
  constexpr int lanes = simd::lanes<V>;
  const V neutral = simd::splat<V>(fill);
  V a = neutral;
  V b = neutral;
  V c = neutral;
  V d = neutral;
  long i = 0;
  for (; i + 4 * lanes <= n; i += 4 * lanes) {
    a = op(a, term(simd::load<V>(x + i)));
    b = op(b, term(simd::load<V>(x + i + lanes)));
    c = op(c, term(simd::load<V>(x + i + 2 * lanes)));
    d = op(d, term(simd::load<V>(x + i + 3 * lanes)));
  }
  for (; i + lanes <= n; i += lanes) {
    a = op(a, term(simd::load<V>(x + i)));
  }
  if (i < n) {
    b = op(b, simd::keep_first(term(simd::load_part<V>(x + i, n - i)), n - i, fill));
  }
  return op(op(a, b), op(c, d));
}

struct Same {
  template <class V>
  FORETELL_INLINE V operator()(V v) const {
    return v;
  }
};
struct Largest {
  template <class V>
  FORETELL_INLINE V operator()(V a, V b) const {
    return simd::maximum(a, b);
  }
};
// n > 0; NaN if any is.
template <class T>
T largest(const T* x, long n) {
  return simd::reduce_max(fold<T>(x, n, x[0], Same{}, Largest{}));
}

}  // namespace foretell::runtime::cpu::kernels::FORETELL_ISA
