// SPDX-License-Identifier: Apache-2.0
// Composite ops over one row: softmax, norms, attention's two products, and the two activations.
#include "fusion-engine/codegen/simd/arithmetic.hpp"
#include "fusion-engine/codegen/simd/erf.hpp"
#include "fusion-engine/codegen/simd/exponential.hpp"
#include "fusion-engine/codegen/simd/memory.hpp"
#include "fusion-engine/runtime/cpu/kernels/block_fold.hpp"
#include "fusion-engine/runtime/cpu/kernels/block_map.hpp"
#include "fusion-engine/runtime/cpu/kernels/block_tables.hpp"

namespace foretell::runtime::cpu::kernels::FORETELL_ISA {

namespace {

// What is subtracted before exp. A row of -inf only stays NaN, as the definition gives it.
template <class T>
void softmax(const T* x, T factor, T* exponentials, T* out, long n, bool stream) {
  using V = Vector<T>;
  const V m = simd::splat<V>(largest(x, n));
  map<T>(x, exponentials, n, false, [m](V v) __attribute__((always_inline)) { return simd::exp(v - m); });
  const T total = sum_map<T>(exponentials, n, [](V v, long) __attribute__((always_inline)) { return v; });
  const V scale = simd::splat<V>(factor / total);
  map<T>(exponentials, out, n, stream, [scale](V v) __attribute__((always_inline)) { return v * scale; });
}
template <class T>
T log_sum_exp(const T* x, T largest, long n) {
  using V = Vector<T>;
  const V m = simd::splat<V>(largest);
  const T total =
      sum_map<T>(x, n, [m](V v, long) __attribute__((always_inline)) { return simd::exp(v - m); });
  return simd::log(simd::splat<V>(total))[0];
}
template <class T>
void log_softmax(const T* x, T* out, long n, bool stream) {
  using V = Vector<T>;
  const T top = largest(x, n);
  const V m = simd::splat<V>(top);
  const V shift = simd::splat<V>(log_sum_exp(x, top, n));
  map<T>(x, out, n, stream, [m, shift](V v) __attribute__((always_inline)) { return (v - m) - shift; });
}

template <class T, class F>
FORETELL_INLINE void scale_and_shift(const T* x, const T* weight, const T* bias, T* out, long n, bool stream,
                                     F normalize) {
  using V = Vector<T>;
  // `load`: of what lies behind an address, a whole vector or a part.
  const auto one = [&](long i, auto load) __attribute__((always_inline)) {
    V v = normalize(load(x + i));
    if (weight != nullptr) {
      v = v * load(weight + i);
    }
    if (bias != nullptr) {
      v = v + load(bias + i);
    }
    return v;
  };
  for_vectors<simd::lanes<V>>(
      n,
      [&](long i) __attribute__((always_inline)) {
        const auto load = [](const T* from) __attribute__((always_inline)) { return simd::load<V>(from); };
        put(out + i, one(i, load), stream);
      },
      [&](long i, long rest) __attribute__((always_inline)) {
        const auto load = [rest](const T* from)
                              __attribute__((always_inline)) { return simd::load_part<V>(from, rest); };
        simd::store_part(out + i, one(i, load), rest);
      });
}
template <class T>
void layer_norm(const T* x, const T* weight, const T* bias, T* out, long n, double epsilon, bool stream) {
  using V = Vector<T>;
  const T mean =
      sum_map<T>(x, n, [](V v, long) __attribute__((always_inline)) { return v; }) / static_cast<T>(n);
  const V center = simd::splat<V>(mean);
  const T squares = sum_map<T>(
      x, n, [center](V v, long) __attribute__((always_inline)) { return (v - center) * (v - center); });
  const V variance = simd::splat<V>(squares / static_cast<T>(n) + static_cast<T>(epsilon));
  const V scale = simd::rsqrt(variance);
  scale_and_shift<T>(x, weight, bias, out, n, stream,
                     [center, scale](V v) __attribute__((always_inline)) { return (v - center) * scale; });
}
template <class T>
void rms_norm(const T* x, const T* weight, T* out, long n, double epsilon, bool stream) {
  using V = Vector<T>;
  const T squares = sum_map<T>(x, n, [](V v, long) __attribute__((always_inline)) { return v * v; });
  const V scale = simd::rsqrt(simd::splat<V>(squares / static_cast<T>(n) + static_cast<T>(epsilon)));
  scale_and_shift<T>(x, weight, nullptr, out, n, stream,
                     [scale](V v) __attribute__((always_inline)) { return v * scale; });
}

template <class T>
void normalize(const T* x, T* out, long n, T center, T scale, T weight, T bias, bool stream) {
  map<T>(x, out, n, stream, [center, scale, weight, bias](Vector<T> v) __attribute__((always_inline)) {
    return (v - center) * scale * weight + bias;
  });
}

template <class T>
void gelu(const void* x, const void*, const void*, void* out, long n, bool stream) {
  using V = Vector<T>;
  map<T>(static_cast<const T*>(x), static_cast<T*>(out), n, stream, [](V v) __attribute__((always_inline)) {
    return static_cast<T>(0.5) * v *
           (1 + simd::erf(v * static_cast<T>(0.70710678118654752440)));  // sqrt(1/2)
  });
}
template <class T>
void gelu_tanh(const void* x, const void*, const void*, void* out, long n, bool stream) {
  using V = Vector<T>;
  map<T>(static_cast<const T*>(x), static_cast<T*>(out), n, stream, [](V v) __attribute__((always_inline)) {
    const V inner =
        static_cast<T>(0.79788456080286535588) * (v + static_cast<T>(0.044715) * v * v * v);  // sqrt(2/pi)
    return static_cast<T>(0.5) * v * (1 + simd::tanh(inner));
  });
}
template <class T>
void silu(const void* x, const void*, const void*, void* out, long n, bool stream) {
  using V = Vector<T>;
  map<T>(static_cast<const T*>(x), static_cast<T*>(out), n, stream,
         [](V v) __attribute__((always_inline)) { return v * simd::sigmoid(v); });
}

template <class T>
void scores(const T* q, const T* k, long row, long width, long keys, T scale, T* out) {
  using V = Vector<T>;
  for (long j = 0; j < keys; ++j) {
    const T* key = k + j * row;
    const T dot = sum_map<T>(q, width, [key, width](V v, long i) __attribute__((always_inline)) {
      return v * load_some<V>(key + i, width - i);
    });
    out[j] = dot * scale;
  }
}
template <class T>
void weighted_sum(const T* weights, const T* v, long row, long width, long keys, T* out) {
  using V = Vector<T>;
  constexpr int lanes = simd::lanes<V>;
  long i = 0;
  for (; i + 4 * lanes <= width; i += 4 * lanes) {  // four vectors of the result stay in registers
    V a = {};
    V b = {};
    V c = {};
    V d = {};
    for (long j = 0; j < keys; ++j) {
      const V w = simd::splat<V>(weights[j]);
      const T* value = v + j * row + i;
      a += w * simd::load<V>(value);
      b += w * simd::load<V>(value + lanes);
      c += w * simd::load<V>(value + 2 * lanes);
      d += w * simd::load<V>(value + 3 * lanes);
    }
    simd::store(out + i, a);
    simd::store(out + i + lanes, b);
    simd::store(out + i + 2 * lanes, c);
    simd::store(out + i + 3 * lanes, d);
  }
  for (; i < width; i += lanes) {
    const long rest = width - i < lanes ? width - i : lanes;
    V a = {};
    for (long j = 0; j < keys; ++j) {
      a += simd::splat<V>(weights[j]) * simd::load_part<V>(v + j * row + i, rest);
    }
    simd::store_part(out + i, a, rest);
  }
}

template <class T>
void fill_floats(FloatBlocks<T>& blocks) {
  blocks.gelu = gelu<T>;
  blocks.gelu_tanh = gelu_tanh<T>;
  blocks.silu = silu<T>;
  blocks.softmax = softmax<T>;
  blocks.log_softmax = log_softmax<T>;
  blocks.log_sum_exp = log_sum_exp<T>;
  blocks.layer_norm = layer_norm<T>;
  blocks.rms_norm = rms_norm<T>;
  blocks.normalize = normalize<T>;
  blocks.scores = scores<T>;
  blocks.weighted_sum = weighted_sum<T>;
}

}  // namespace

void fill_rows(Isa& isa) {
  fill_floats(isa.f32);
  fill_floats(isa.f64);
}

}  // namespace foretell::runtime::cpu::kernels::FORETELL_ISA
