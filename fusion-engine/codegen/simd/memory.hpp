// SPDX-License-Identifier: Apache-2.0
// Loads and stores: whole vectors, the first lanes, strided, past the caches.
#pragma once

#include "fusion-engine/codegen/simd/convert.hpp"

namespace foretell_simd {
inline namespace FORETELL_SIMD_TARGET {

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

// The first lane.
template <class T, class V>
FORETELL_SIMD void store_one(T* p, V v) {
  *p = static_cast<T>(to_memory<V, T>(v)[0]);
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

}  // namespace FORETELL_SIMD_TARGET
}  // namespace foretell_simd
