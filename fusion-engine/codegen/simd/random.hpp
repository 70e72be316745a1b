// SPDX-License-Identifier: Apache-2.0
// Random numbers: Philox4x32-10, as ir/philox.hpp.
#pragma once

#include "fusion-engine/codegen/simd/convert.hpp"

namespace foretell_simd {
inline namespace FORETELL_SIMD_TARGET {

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

}  // namespace FORETELL_SIMD_TARGET
}  // namespace foretell_simd
