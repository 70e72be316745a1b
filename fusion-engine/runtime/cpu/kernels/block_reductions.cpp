// SPDX-License-Identifier: Apache-2.0
// Reductions of a block to one value (four accumulators of a vector each, added in a fixed order), and of
// rows into a row.
#include "fusion-engine/codegen/simd/arithmetic.hpp"
#include "fusion-engine/codegen/simd/memory.hpp"
#include "fusion-engine/runtime/cpu/kernels/block_fold.hpp"
#include "fusion-engine/runtime/cpu/kernels/block_tables.hpp"

namespace foretell::runtime::cpu::kernels::FORETELL_ISA {

namespace {

struct Add {
  template <class V>
  FORETELL_INLINE V operator()(V a, V b) const {
    return (V)((simd::bits_of<V>)a + (simd::bits_of<V>)b);
  }
};
struct AddFloats {
  template <class V>
  FORETELL_INLINE V operator()(V a, V b) const {
    return a + b;
  }
};
struct Smallest {
  template <class V>
  FORETELL_INLINE V operator()(V a, V b) const {
    return simd::minimum(a, b);
  }
};

template <class T>
double sum(const T* x, long n) {
  return static_cast<double>(simd::reduce_add(fold<T>(x, n, T{}, Same{}, AddFloats{})));
}
template <class T>
double sum_of_squares(const T* x, double center, long n) {
  const auto c = simd::splat<Vector<T>>(static_cast<T>(center));
  const auto square = [c](Vector<T> v) __attribute__((always_inline)) { return (v - c) * (v - c); };
  return static_cast<double>(simd::reduce_add(fold<T>(x, n, T{}, square, AddFloats{})));
}
long sum_integers(const long* x, long n) {
  using U = simd::bits_of<Vector<long>>;
  return static_cast<long>(simd::reduce_add((U)fold<long>(x, n, 0, Same{}, Add{})));
}
template <class T>
T smallest(const T* x, long n) {
  return simd::reduce_min(fold<T>(x, n, x[0], Same{}, Smallest{}));
}

template <class T, class Op>
FORETELL_INLINE void combine_into(T* into, const T* x, long n, Op op) {
  using V = Vector<T>;
  for_vectors<simd::lanes<V>>(
      n,
      [&](long i) __attribute__((always_inline)) {
        simd::store(into + i, op(simd::load<V>(into + i), simd::load<V>(x + i)));
      },
      [&](long i, long rest) __attribute__((always_inline)) {
        simd::store_part(into + i, op(simd::load_part<V>(into + i, rest), simd::load_part<V>(x + i, rest)),
                         rest);
      });
}
template <class T>
void add_to(T* into, const T* x, long n) {
  combine_into(into, x, n, AddFloats{});
}
void add_integers_to(long* into, const long* x, long n) { combine_into(into, x, n, Add{}); }
template <class T>
void largest_to(T* into, const T* x, long n) {
  combine_into(into, x, n, Largest{});
}
template <class T>
void smallest_to(T* into, const T* x, long n) {
  combine_into(into, x, n, Smallest{});
}
template <class T>
void add_squares_to(T* into, const T* x, const T* center, long n) {
  using V = Vector<T>;
  const auto step = [](V sum, V v, V c) __attribute__((always_inline)) { return sum + (v - c) * (v - c); };
  for_vectors<simd::lanes<V>>(
      n,
      [&](long i) __attribute__((always_inline)) {
        simd::store(into + i, step(simd::load<V>(into + i), simd::load<V>(x + i), simd::load<V>(center + i)));
      },
      [&](long i, long rest) __attribute__((always_inline)) {
        const V s = simd::load_part<V>(into + i, rest);
        simd::store_part(
            into + i, step(s, simd::load_part<V>(x + i, rest), simd::load_part<V>(center + i, rest)), rest);
      });
}

template <class T>
void fill_floats(FloatBlocks<T>& blocks) {
  blocks.sum = sum<T>;
  blocks.sum_of_squares = sum_of_squares<T>;
  blocks.largest = largest<T>;
  blocks.smallest = smallest<T>;
  blocks.add_to = add_to<T>;
  blocks.add_squares_to = add_squares_to<T>;
  blocks.largest_to = largest_to<T>;
  blocks.smallest_to = smallest_to<T>;
}

}  // namespace

void fill_reductions(Isa& isa) {
  fill_floats(isa.f32);
  fill_floats(isa.f64);
  isa.i64 = {sum_integers,    largest<long>,    smallest<long>,
             add_integers_to, largest_to<long>, smallest_to<long>};
}

}  // namespace foretell::runtime::cpu::kernels::FORETELL_ISA
