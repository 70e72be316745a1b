// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/codegen/simd/arithmetic.hpp"
#include "fusion-engine/codegen/simd/exponential.hpp"
#include "fusion-engine/codegen/simd/memory.hpp"
#include "fusion-engine/codegen/simd/random.hpp"
#include "fusion-engine/codegen/simd/trigonometric.hpp"
#include "fusion-engine/runtime/cpu/kernels/block_tables.hpp"

namespace foretell::runtime::cpu::kernels::FORETELL_ISA {

namespace {

template <class T, class F>
inline __attribute__((always_inline)) void generate(T* out, long n, F f) {
  using V = Vector<T>;
  for_vectors<simd::lanes<V>>(
      n, [&](long i) __attribute__((always_inline)) { simd::store(out + i, f(i, simd::lanes<V>)); },
      [&](long i, long rest) __attribute__((always_inline)) { simd::store_part(out + i, f(i, rest), rest); });
}

template <class T>
void uniform(const RandomBlock& block, T* out, long n) {
  generate(out, n, [block](long i, long) __attribute__((always_inline)) {
    return simd::random_uniform<Vector<T>>(block.seed, block.counter,
                                           block.first + static_cast<unsigned long>(i));
  });
}

// Box and Muller's transform of two uniform streams, as ir/decomposition.hpp defines it.
inline constexpr unsigned long kSecondStream = 0x9E3779B97F4A7C15U;
template <class T>
void normal(const RandomBlock& block, T* out, long n) {
  using V = Vector<T>;
  generate(out, n, [block](long i, long) __attribute__((always_inline)) {
    const unsigned long first = block.first + static_cast<unsigned long>(i);
    const V radius = simd::random_uniform<V>(block.seed, block.counter, first);
    const V angle = simd::random_uniform<V>(block.seed ^ kSecondStream, block.counter, first);
    return simd::sqrt(-2 * simd::log(1 - radius)) * simd::cos(static_cast<T>(6.28318530717958647692) * angle);
  });
}

template <class T>
void dropout(const RandomBlock& block, const T* x, T* out, long n) {
  using V = Vector<T>;
  const V probability = simd::splat<V>(static_cast<T>(block.probability));
  const V scale = simd::splat<V>(static_cast<T>(1 / (1 - block.probability)));
  generate(out, n, [=](long i, long rest) __attribute__((always_inline)) {
    const V u =
        simd::random_uniform<V>(block.seed, block.counter, block.first + static_cast<unsigned long>(i));
    return simd::select(u >= probability, simd::load_part<V>(x + i, rest) * scale, V{});
  });
}

}  // namespace

void fill_random(Isa& isa) {
  isa.f32.uniform = uniform<float>;
  isa.f64.uniform = uniform<double>;
  isa.f32.normal = normal<float>;
  isa.f64.normal = normal<double>;
  isa.f32.dropout = dropout<float>;
  isa.f64.dropout = dropout<double>;
}

}  // namespace foretell::runtime::cpu::kernels::FORETELL_ISA
