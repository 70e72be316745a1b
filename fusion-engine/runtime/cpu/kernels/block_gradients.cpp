// SPDX-License-Identifier: Apache-2.0
// Composite ops over one row, backward.
#include "fusion-engine/codegen/simd/arithmetic.hpp"
#include "fusion-engine/codegen/simd/erf.hpp"
#include "fusion-engine/codegen/simd/exponential.hpp"
#include "fusion-engine/codegen/simd/memory.hpp"
#include "fusion-engine/runtime/cpu/kernels/block_map.hpp"
#include "fusion-engine/runtime/cpu/kernels/block_tables.hpp"

namespace foretell::runtime::cpu::kernels::FORETELL_ISA {

namespace {

template <class T>
void softmax_grad(const T* y, const T* dy, T* out, long n, bool stream) {
  using V = Vector<T>;
  const T along = sum_map<T>(
      y, n, [dy, n](V v, long i) __attribute__((always_inline)) { return v * load_some<V>(dy + i, n - i); });
  const V shift = simd::splat<V>(along);
  map<T>(y, dy, out, n, stream, [shift](V v, V d) __attribute__((always_inline)) { return v * (d - shift); });
}
template <class T>
void log_softmax_grad(const T* y, const T* dy, T* out, long n, bool stream) {
  using V = Vector<T>;
  const V total =
      simd::splat<V>(sum_map<T>(dy, n, [](V v, long) __attribute__((always_inline)) { return v; }));
  map<T>(y, dy, out, n, stream,
         [total](V v, V d) __attribute__((always_inline)) { return d - simd::exp(v) * total; });
}

// What a norm does to x before the weight: (x - center) * scale.
template <class T>
struct Norm {
  Vector<T> center;
  Vector<T> scale;

  FORETELL_INLINE Vector<T> operator()(Vector<T> x) const { return (x - center) * scale; }
};
template <class T>
Norm<T> norm_around(const T* x, long n, Vector<T> center, double epsilon) {
  using V = Vector<T>;
  const T squares = sum_map<T>(
      x, n, [center](V v, long) __attribute__((always_inline)) { return (v - center) * (v - center); });
  return {center, simd::rsqrt(simd::splat<V>(squares / static_cast<T>(n) + static_cast<T>(epsilon)))};
}
template <class T>
Norm<T> layer_norm_of(const T* x, long n, double epsilon) {
  using V = Vector<T>;
  const T total = sum_map<T>(x, n, [](V v, long) __attribute__((always_inline)) { return v; });
  return norm_around<T>(x, n, simd::splat<V>(total / static_cast<T>(n)), epsilon);
}
template <class T>
Norm<T> rms_norm_of(const T* x, long n, double epsilon) {
  return norm_around<T>(x, n, Vector<T>{}, epsilon);
}

// The cotangent of the row before the weight.
template <class T>
struct Given {
  const T* dy;
  const T* weight;  // may be null
  long n;

  FORETELL_INLINE Vector<T> operator()(long i) const {
    using V = Vector<T>;
    const V d = load_some<V>(dy + i, n - i);
    return weight == nullptr ? d : d * load_some<V>(weight + i, n - i);
  }
};

template <class T>
void norm_grad(const T* x, const Given<T>& given, const Norm<T>& norm, Vector<T> level, T* out, bool stream) {
  using V = Vector<T>;
  const long n = given.n;
  const T total =
      sum_map<T>(x, n, [&](V v, long i) __attribute__((always_inline)) { return given(i) * norm(v); });
  const V along = simd::splat<V>(total / static_cast<T>(n));
  const auto cotangent = [&](V v, long i) __attribute__((always_inline)) {
    return (given(i) - level - norm(v) * along) * norm.scale;
  };
  for_vectors<simd::lanes<V>>(
      n,
      [&](long i)
          __attribute__((always_inline)) { put(out + i, cotangent(simd::load<V>(x + i), i), stream); },
      [&](long i, long rest) __attribute__((always_inline)) {
        simd::store_part(out + i, cotangent(simd::load_part<V>(x + i, rest), i), rest);
      });
}
template <class T>
void layer_norm_grad(const T* x, const T* dy, const T* weight, T* out, long n, double epsilon, bool stream) {
  using V = Vector<T>;
  const Given<T> given{dy, weight, n};
  const T total = sum_map<T>(dy, n, [&](V, long i) __attribute__((always_inline)) { return given(i); });
  norm_grad<T>(x, given, layer_norm_of(x, n, epsilon), simd::splat<V>(total / static_cast<T>(n)), out,
               stream);
}
template <class T>
void rms_norm_grad(const T* x, const T* dy, const T* weight, T* out, long n, double epsilon, bool stream) {
  norm_grad<T>(x, {dy, weight, n}, rms_norm_of(x, n, epsilon), Vector<T>{}, out, stream);
}

template <class T>
FORETELL_INLINE void add_products(const T* x, const T* dy, const Norm<T>& norm, T* into, long n) {
  using V = Vector<T>;
  for_vectors<simd::lanes<V>>(
      n,
      [&](long i) __attribute__((always_inline)) {
        simd::store(into + i, simd::load<V>(into + i) + simd::load<V>(dy + i) * norm(simd::load<V>(x + i)));
      },
      [&](long i, long rest) __attribute__((always_inline)) {
        const V product = simd::load_part<V>(dy + i, rest) * norm(simd::load_part<V>(x + i, rest));
        simd::store_part(into + i, simd::load_part<V>(into + i, rest) + product, rest);
      });
}
template <class T>
void add_layer_norm_products(const T* x, const T* dy, T* into, long n, double epsilon) {
  add_products<T>(x, dy, layer_norm_of(x, n, epsilon), into, n);
}
template <class T>
void add_rms_norm_products(const T* x, const T* dy, T* into, long n, double epsilon) {
  add_products<T>(x, dy, rms_norm_of(x, n, epsilon), into, n);
}

// out[i] = dy[i] * derivative(x[i]).
template <class T, class F>
FORETELL_INLINE void map_slope(const void* x, const void* dy, void* out, long n, bool stream, F derivative) {
  using V = Vector<T>;
  map<T>(static_cast<const T*>(x), static_cast<const T*>(dy), static_cast<T*>(out), n, stream,
         [derivative](V v, V d) __attribute__((always_inline)) { return d * derivative(v); });
}
template <class T>
void gelu_grad(const void* x, const void* dy, const void*, void* out, long n, bool stream) {
  using V = Vector<T>;
  map_slope<T>(x, dy, out, n, stream, [](V v) __attribute__((always_inline)) {
    const V passes =
        static_cast<T>(0.5) * (1 + simd::erf(v * static_cast<T>(0.70710678118654752440)));  // sqrt(1/2)
    const V density =
        simd::exp(v * v * static_cast<T>(-0.5)) * static_cast<T>(0.39894228040143267794);  // 1/sqrt(2 pi)
    return passes + v * density;
  });
}
template <class T>
void gelu_tanh_grad(const void* x, const void* dy, const void*, void* out, long n, bool stream) {
  using V = Vector<T>;
  constexpr T scale = static_cast<T>(0.79788456080286535588);  // sqrt(2/pi)
  constexpr T cube = static_cast<T>(0.044715);
  map_slope<T>(x, dy, out, n, stream, [](V v) __attribute__((always_inline)) {
    const V square = v * v;
    const V share = simd::tanh(scale * (v + cube * square * v));
    const V slope = (1 - share * share) * (scale / 2 + square * (3 * cube * scale / 2));
    return static_cast<T>(0.5) * (1 + share) + v * slope;
  });
}
template <class T>
void silu_grad(const void* x, const void* dy, const void*, void* out, long n, bool stream) {
  using V = Vector<T>;
  map_slope<T>(x, dy, out, n, stream, [](V v) __attribute__((always_inline)) {
    const V share = simd::sigmoid(v);
    return share * (1 + v * (1 - share));
  });
}

template <class T>
void fill_floats(FloatBlocks<T>& blocks) {
  blocks.gelu_grad = gelu_grad<T>;
  blocks.gelu_tanh_grad = gelu_tanh_grad<T>;
  blocks.silu_grad = silu_grad<T>;
  blocks.softmax_grad = softmax_grad<T>;
  blocks.log_softmax_grad = log_softmax_grad<T>;
  blocks.layer_norm_grad = layer_norm_grad<T>;
  blocks.rms_norm_grad = rms_norm_grad<T>;
  blocks.add_layer_norm_products = add_layer_norm_products<T>;
  blocks.add_rms_norm_products = add_rms_norm_products<T>;
}

}  // namespace

void fill_gradients(Isa& isa) {
  fill_floats(isa.f32);
  fill_floats(isa.f64);
}

}  // namespace foretell::runtime::cpu::kernels::FORETELL_ISA
