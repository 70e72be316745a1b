// SPDX-License-Identifier: Apache-2.0
// For the block files, each compiled for several targets: FORETELL_ISA is the target's name, and a namespace.
#pragma once

#include "fusion-engine/codegen/simd/types.hpp"
#include "fusion-engine/runtime/cpu/kernels/isa.hpp"

namespace foretell::runtime::cpu::kernels::FORETELL_ISA {

namespace simd = foretell_simd;

#if defined(__AVX512DQ__)
inline constexpr int kVectorBytes = 64;
#elif defined(__AVX2__)
inline constexpr int kVectorBytes = 32;
#else
inline constexpr int kVectorBytes = 16;
#endif

// A full vector of T.
template <class T>
using Vector = simd::vec<T, kVectorBytes / static_cast<int>(sizeof(T))>;

// Calls step(first, lanes) for whole vectors, then tail(first, rest) if there is a rest.
template <int Lanes, class Step, class Tail>
inline __attribute__((always_inline)) void for_vectors(long n, Step step, Tail tail) {
  long i = 0;
  for (; i + Lanes <= n; i += Lanes) {
    step(i);
  }
  if (i < n) {
    tail(i, n - i);
  }
}

void fill_casts(Isa& isa);
void fill_elementwise(Isa& isa);
void fill_gradients(Isa& isa);
void fill_random(Isa& isa);
void fill_reductions(Isa& isa);
void fill_rows(Isa& isa);
const Isa& table();

}  // namespace foretell::runtime::cpu::kernels::FORETELL_ISA
